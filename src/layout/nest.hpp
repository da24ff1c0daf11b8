// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/layout.hpp>

/// Repetitions inside of one another, as a set of bytes: order does not matter to it.
namespace typewarp::layout {

/// Levels of positive strides, largest stride outermost, around a run (leaf null) or any other node.
struct Nest {
  struct Level {
    std::int64_t count, stride;
  };
  std::int64_t offset = 0;  ///< of the first byte of the lowest copy's leaf
  std::vector<Level> levels;
  std::int64_t run = 0;
  const layout::Node* leaf = nullptr;
};

/// Of the bytes of the levels from `level` inwards, relative to their first copy's start.
struct NestBounds {
  std::int64_t begin, end;
};
NestBounds bounds(const Nest& nest, std::size_t level);

/// The nest whose outermost level is `node`, a Repeat of at least one byte. Copies of a run that touch or
/// overlap become one run.
Nest nest_of(const layout::Node& node);

/// Whether on every level each copy ends before the next begins.
bool apart(const Nest& nest);

}  // namespace typewarp::layout
