// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/cuda/kernels/tiles.hpp"

/// The policies in use; types, since nvcc 13.0 takes no values of a class as template arguments of kernels.
namespace typewarp::gpu {

struct TilesOf16 {
  static constexpr TilePolicy value{.word = 16, .fold = 1, .threads = 256, .cells = 4, .blocks = 4};
};

struct TilesOf8 {
  static constexpr TilePolicy value{.word = 8, .fold = 1, .threads = 256, .cells = 8, .blocks = 3};
};

struct TilesOf4 {
  static constexpr TilePolicy value{.word = 4, .fold = 1, .threads = 256, .cells = 16, .blocks = 2};
};

struct TilesOf2 {
  static constexpr TilePolicy value{.word = 2, .fold = 1, .threads = 256, .cells = 16, .blocks = 2};
};

struct TilesOf1 {
  static constexpr TilePolicy value{.word = 1, .fold = 1, .threads = 256, .cells = 16, .blocks = 2};
};

struct FoldedTilesOf4 {
  static constexpr TilePolicy value{.word = 4, .fold = 2, .threads = 256, .cells = 4, .blocks = 3};
};

struct FoldedTilesOf2 {
  static constexpr TilePolicy value{.word = 2, .fold = 2, .threads = 256, .cells = 8, .blocks = 3};
};

struct FoldedTilesOf1 {
  static constexpr TilePolicy value{.word = 1, .fold = 4, .threads = 256, .cells = 4, .blocks = 3};
};

}  // namespace typewarp::gpu
