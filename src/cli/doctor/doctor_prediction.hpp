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
  double most_saved;  ///< beyond that it is waiting for others that takes the time now
};

/// How long calls would take with Typewarp: the time in which its engine packs what is sent and unpacks what
/// is received, measured here and now, one thread, and what the MPI takes for as many bytes without gaps:
/// what the run shows, or a stated rate.
class Prediction {
 public:
  /// The sites of the run are what contiguous messages are looked up in; they must outlive this.
  explicit Prediction(const std::vector<CallSite>& sites) : sites_(sites) {}

  /// Seconds that a call at the site would take. Nothing where Typewarp leaves the call as it is. Throws what
  /// the engine throws.
  std::optional<PredictedCall> call(const CallSite& site);
  /// The same of contiguous data: what the MPI takes for `bytes` in such calls. Nothing of files that the run
  /// does not show.
  std::optional<double> contiguous(const CallSite& site, std::int64_t bytes) const;

 private:
  enum class Direction { pack, unpack };
  double moved(const SiteSide& side, Direction direction);

  const std::vector<CallSite>& sites_;
  std::map<std::string, double> measured_;
};

/// How it is made, as one text for reports.
extern const char* const how_it_is_predicted;

}  // namespace typewarp::cli
