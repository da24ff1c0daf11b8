// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "array.hpp"

#include <typewarp/datatype.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace typewarp::python {

/// What strides cannot describe: blocks of rows of one array, anywhere in it.
struct Blocks {
  std::vector<std::int64_t> displacements;  ///< of the first row of each, in bytes
  std::vector<std::int64_t> lengths;        ///< rows of each; more than one only where `stride` is positive
  std::int64_t stride = 0;                  ///< bytes from a row to the next of its block
  std::vector<Dimension> row;               ///< merged()

  /// Adds rows at the end, to the last block where they continue it.
  void append(std::int64_t displacement, std::int64_t rows);

  bool operator==(const Blocks&) const = default;
};

/// The datatype of all blocks of all parts, one after another. None is without blocks.
Datatype datatype_of(const std::vector<Blocks>& parts);

/// From the lowest byte to behind the highest, in bytes. Throws nanobind::value_error beyond 64 bits.
std::pair<std::int64_t, std::int64_t> span_of(const std::vector<Blocks>& parts);

}  // namespace typewarp::python
