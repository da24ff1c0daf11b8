// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/leave.hpp"
#include "hacc/carrier/by.hpp"

#include <typewarp/engine.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace hacc {

/// What the command line asks for.
struct Options {
  std::vector<std::int64_t> particles{4096};   ///< of a block on average, one set of blocks after the other
  std::int64_t seed = 1;                       ///< of the blocks
  std::int64_t repeats = 10;                   ///< of each message and each file call that is timed, at most
  std::optional<By> by;                        ///< absent: all that work on the memory
  std::optional<typewarp::MemoryKind> memory;  ///< absent: device if there is a GPU, else host
  std::string file;                            ///< of the blocks; empty: a temporary one
  std::string picture;                         ///< path, ending in .png or .ppm; empty: none
};

/// Reads the command line. Depends on nothing but its arguments, so all ranks come to the same end.
std::variant<Options, apps::Leave> parse_options(int argc, const char* const* argv);

}  // namespace hacc
