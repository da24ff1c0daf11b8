// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/command_line.hpp"
#include "common/halo/options.hpp"

#include <cstdint>
#include <string>

namespace apps {

/// Adds what HaloOptions holds to a command line; `options` holds the defaults. `what` is in memory, `drawn`
/// in the picture.
void add_halo_options(CLI::App& app, HaloOptions& options, const std::string& what, const std::string& drawn);

/// Throws what makes parse() leave if a rank owns fewer cells than it has ghosts, or so many that the numbers
/// of a message, of so many planes, do not fit an int. `cause` says what the number of planes comes from.
void check_size(const Shape& size, std::int64_t ghosts, std::int64_t planes, const std::string& cause);

}  // namespace apps
