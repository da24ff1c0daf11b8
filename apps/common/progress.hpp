// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/stopwatch.hpp"

#include <cstdint>
#include <string>

namespace apps {

enum class ProgressStyle : std::uint8_t {
  automatic,  ///< one updating line if standard output is a terminal of this process, else a line each
  update,     ///< one updating line
  lines,      ///< a line each
  none,
};

/// Says on standard output how far a long loop has come: a line every 10 %, or one line that is kept up to
/// date.
class Progress {
 public:
  /// `label` names the loop and its steps, for instance "stencil: iteration". A style of none says nothing.
  Progress(std::string label, std::int64_t total, ProgressStyle style);

  /// `done` of `total` steps are complete; never less than before.
  void update(std::int64_t done);

 private:
  std::string label_;
  std::int64_t total_;
  std::int64_t shown_ = 0;  ///< steps of `share_` percent already said
  std::int64_t share_;      ///< percent from one report to the next
  bool speaks_;
  bool in_place_;
  double seconds_ = 0;
  Stopwatch watch_;
};

}  // namespace apps
