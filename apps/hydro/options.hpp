// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/halo/options.hpp"

#include <variant>

namespace hydro {

/// Reads the command line. Depends on nothing but its arguments, so all ranks come to the same end.
std::variant<apps::HaloOptions, apps::Leave> parse_options(int argc, const char* const* argv);

}  // namespace hydro
