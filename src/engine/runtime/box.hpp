// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/displaced.hpp"

#include <cstddef>
#include <cstdint>

namespace typewarp::gpu {

/// One side of a box, in bytes.
struct BoxSide {
  std::byte* first;
  std::int64_t pitch;  ///< from row to row
  std::int64_t layer;  ///< from layer to layer: a multiple of the pitch
};

/// Equal rows in equal layers on both sides: what copy engines move at once.
struct Box {
  BoxSide to, from;
  std::int64_t row;  ///< bytes
  std::int64_t rows = 1, layers = 1;

  bool single_row() const noexcept { return rows == 1 && layers == 1; }
  std::byte* last_byte(const BoxSide& side) const {
    return displaced(side.first, (layers - 1) * side.layer + (rows - 1) * side.pitch + row - 1);
  }
};

}  // namespace typewarp::gpu
