// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/doctor/doctor_record.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace typewarp::cli {

/// A call with Typewarp, in seconds.
struct PredictedCall {
  double seconds;
  double most_saved;  ///< any more than this is time spent waiting for other ranks
};

/// Estimates how long calls would take with Typewarp: the time to pack what is sent and unpack what is
/// received, measured here by one thread, plus the time that the MPI needs for as many contiguous bytes, as
/// seen in the run or by a fixed rate.
class Prediction {
 public:
  /// Looks up contiguous messages in the sites of the run, which must outlive this.
  explicit Prediction(const std::vector<CallSite>& sites) : sites_(sites) {}

  /// Seconds that a call at the site would take; nullopt if Typewarp leaves the call to the MPI. Throws what
  /// the engine throws.
  std::optional<PredictedCall> call(const CallSite& site);
  /// Seconds that the MPI needs for `bytes` of contiguous data in such calls; nullopt for files of which the
  /// run has none.
  std::optional<double> contiguous(const CallSite& site, std::int64_t bytes) const;

 private:
  enum class Direction { pack, unpack };
  double moved(const SiteSide& side, Direction direction);

  const std::vector<CallSite>& sites_;
  std::map<std::string, double> measured_;
};

/// Explains the estimate in reports.
extern const char* const how_it_is_predicted;

}  // namespace typewarp::cli
