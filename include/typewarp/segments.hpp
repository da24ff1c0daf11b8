// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/layout.hpp>

/// The memory that a layout touches, in the units in which GPU memory is moved.
namespace typewarp {

/// DRAM is read and written in segments of this many bytes.
inline constexpr std::int64_t segment_bytes = 64;

/// Segments that hold at least one byte of `layout`, each counted once, if the byte that the layout's offset
/// is relative to is at `address` (any number: only address modulo segment_bytes matters).
std::int64_t touched_segments(const Layout& layout, std::int64_t address);

}  // namespace typewarp
