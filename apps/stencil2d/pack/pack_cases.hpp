// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace stencil2d {

struct Block {
  std::int64_t offset;  ///< bytes from the start of the user's buffer
  std::int64_t bytes;
};

/// A datatype of 000, section IV-A and figure 4, and the same bytes as a plain list of blocks.
struct PackCase {
  std::string name;
  typewarp::Datatype datatype;
  std::int64_t count;  ///< items
  std::vector<Block> blocks;

  std::int64_t packed_bytes() const { return count * datatype.size(); }
  /// Bytes of user memory from the buffer's start to the last block's end.
  std::int64_t span() const { return blocks.back().offset + blocks.back().bytes; }
};

inline constexpr std::array<std::int64_t, 3> pack_sizes{1 << 10, 1 << 16, 1 << 22};

/// The six types of about `bytes` packed bytes, a power of two from 1 KiB to 4 MiB: vectors and indexed types
/// of 8 and 128 byte blocks every 512 bytes, a nearly cubic box in a 64^4 array of doubles, and structs of
/// {double, int, int, char}, the only ones that do not come out at `bytes` exactly.
std::vector<PackCase> pack_cases(std::int64_t bytes);

}  // namespace stencil2d
