// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sstream>
#include <string>
#include <string_view>

namespace typewarp::explanation {

/// A drawing of rectangles and words. Lengths are pixels, from the upper left corner.
class Svg {
 public:
  void rectangle(double x, double y, double width, double height, std::string_view fill);
  /// One line of words, whose base line is at `y`: they begin at `x`, or end there.
  void words(double x, double y, std::string_view text, bool end_there = false);
  /// All of it, as a file.
  std::string file(double width, double height) const;

 private:
  std::ostringstream body_;
};

}  // namespace typewarp::explanation
