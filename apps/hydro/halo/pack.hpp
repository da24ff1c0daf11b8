// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydro/domain.hpp"

namespace hydro {

/// Where number i of a packed strip is, variable after variable.
APPS_HOST_DEVICE inline std::int64_t place_of(const Layout& layout, const Strip& strip, std::int64_t i) {
  const std::int64_t cell = i % (strip.size.rows * strip.size.columns);
  const auto variable = static_cast<int>(i / (strip.size.rows * strip.size.columns));
  return layout.at(variable, strip.start.rows + cell / strip.size.columns,
                   strip.start.columns + cell % strip.size.columns);
}

/// Copies a strip of all variables into a message.
struct Pack {
  Layout layout;
  Strip strip;
  const double* arrays;
  double* message;
  APPS_HOST_DEVICE void operator()(std::int64_t i) const { message[i] = arrays[place_of(layout, strip, i)]; }
};

/// And back.
struct Unpack {
  Layout layout;
  Strip strip;
  const double* message;
  double* arrays;
  APPS_HOST_DEVICE void operator()(std::int64_t i) const { arrays[place_of(layout, strip, i)] = message[i]; }
};

}  // namespace hydro
