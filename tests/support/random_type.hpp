// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <cstdint>

namespace typewarp::test {

struct RandomTypeOptions {
  int depth = 4;                      ///< at most so many constructors above a named type
  std::int64_t max_size = 4096;       ///< bytes of data
  std::int64_t max_extent = 1 << 16;  ///< true extent and extent, absolute
  bool overlap = false;  ///< whether one byte may appear twice in the type map (legal for pack only)
};

/// A random datatype, the same for the same seed and options on every platform: all constructors, nested,
/// with negative strides, zero counts, gaps, lower bounds below zero, resized, structs of everything.
Datatype random_type(std::uint64_t seed, const RandomTypeOptions& options = {});

}  // namespace typewarp::test
