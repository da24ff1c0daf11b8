// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/divider.hpp"
#include "plan/lookaside.hpp"

#include <typewarp/layout.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// The flat form of a layout that host and device code walk (000 and 003, section III-A): fixed-length
/// parameters of every node in preorder, so that an only child is the next node, and the variable-length
/// lists in a lookaside buffer. What uses its parts again and again, and would be very long so, has its
/// members once. Quantities are bytes of the packed stream instead of the papers' primitives: so one encoding
/// serves every word width and every byte range.
namespace typewarp::plan {

enum class Kind : std::int32_t { run, repeat, blocks, varying, sequence };

/// Of a prefix: entry g is the block that holds packed byte g << shift, and the last entry, for the first
/// such byte past the end, is the last block. So the block that holds byte p is one of those from entry p >>
/// shift to the entry after that.
struct CoarseIndex {
  std::int64_t entries;  ///< their lookaside offset
  std::int32_t shift;    ///< 0 where the list is too short for an index
};

/// Which fields mean something, by kind:
///   run       size
///   repeat    count children, `stride` apart
///   blocks    count blocks of one child each: displacements
///   varying   count blocks of children `stride` apart: displacements, prefix, index
///   sequence  count members of different shape: displacements, prefix, index, members
struct EncodedNode {
  std::int64_t size;  ///< packed bytes of one instance of this node
  std::int64_t count;
  std::int64_t stride;
  std::int64_t child_size;         ///< packed bytes of one child (repeat, blocks, varying)
  std::int64_t displacements;      ///< lookaside offset of `count` entries: user bytes
  std::int64_t prefix;             ///< lookaside offset of `count + 1` entries: packed bytes before block i
  std::int64_t members;            ///< lookaside offset of `count` 32-bit node indices
  CoarseIndex index;               ///< of `prefix`
  Divider<std::uint64_t> by_size;  ///< of the root only
  Divider<std::uint64_t> by_child_size;  ///< where child_size means something
  Kind kind;
  std::int32_t width;  ///< bytes of one entry of displacements, prefix and index: 4 or 8, signed
};

/// What both sides of the machine walk. `nodes[0]` is the root.
struct EncodingView {
  const EncodedNode* nodes;
  const std::byte* lookaside;
};

struct Encoding {
  std::vector<EncodedNode> nodes;
  Lookaside lookaside;  ///< every list starts at a multiple of 8
  /// Largest power of two <= 16 that divides every run, stride and displacement below the root.
  std::int64_t grain = 1;
  /// Whether members stand for several places. Else the nodes are the preorder of a tree.
  bool shared = false;

  EncodingView view() const noexcept { return {nodes.data(), lookaside.data()}; }
};

Encoding encode(const layout::Node& root);

}  // namespace typewarp::plan
