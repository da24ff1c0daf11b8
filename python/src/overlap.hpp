// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "blocks.hpp"

#include <cstdint>
#include <optional>
#include <vector>

// Whether a byte is met twice. Exact, unless the arrays are so strange that to tell takes too long. Bounds
// and strides decide nearly always.
namespace typewarp::python {

/// The bytes of a view: `parts` as View::blocks() has them, of which displacements are from `address`.
struct Memory {
  std::uintptr_t address;
  std::vector<Blocks> parts;
};

/// Whether two of these have a byte in common; nothing where it takes too long to tell.
std::optional<bool> overlap(const std::vector<Memory>& memories);

/// Whether a byte belongs to several runs of bytes of one; nothing where it takes too long to tell.
std::optional<bool> overlaps_itself(const Memory& memory);

}  // namespace typewarp::python
