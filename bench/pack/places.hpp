// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/layout.hpp>

#include <cstdint>
#include <vector>

#ifdef __CUDACC__
#define TYPEWARP_BENCH_HD __host__ __device__
#else
#define TYPEWARP_BENCH_HD
#endif

/// Where every byte of a packed stream lies, found in the most naive way: what moves are verified by. Nothing
/// of the library is used but the layout, which its own tests compare with the type map.
namespace typewarp::bench {

/// A node of a layout. Its entries follow one another in the packed stream; each is some copies of a child,
/// `stride` bytes apart. A list is told by where it begins in PlacesView::lists.
struct PlacesNode {
  static constexpr std::int64_t none = -1;

  std::int64_t entries = 0;           ///< 0: a run of bytes, and all else is meaningless
  std::int64_t size = 0;              ///< packed bytes of one child
  std::int64_t stride = 0;            ///< from one copy of the child to the next
  std::int64_t child = none;          ///< its node
  std::int64_t begins = none;         ///< list: the first packed byte of each entry; none: one copy each
  std::int64_t displacements = none;  ///< list, one for each entry; none: a single entry, at 0
  std::int64_t children = none;       ///< list: the node of each entry, of which it is one; none: `child`
};

/// Nodes and lists, in memory of the host or of a device. The root is node 0.
struct PlacesView {
  const PlacesNode* nodes;
  const std::int64_t* lists;
  std::int64_t offset;

  /// The entry of a list of first bytes that holds `byte`: the last that begins no later.
  TYPEWARP_BENCH_HD std::int64_t entry_of(const PlacesNode& node, std::int64_t byte) const {
    std::int64_t low = 0;
    std::int64_t high = node.entries;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (lists[node.begins + middle] <= byte ? low : high) = middle;
    }
    return low;
  }

  /// The displacement of a byte of the packed stream from the user's address.
  TYPEWARP_BENCH_HD std::int64_t operator()(std::int64_t byte) const {
    std::int64_t at = offset;
    std::int64_t index = 0;
    while (nodes[index].entries > 0) {
      const PlacesNode node = nodes[index];
      std::int64_t entry = 0;
      if (node.begins != PlacesNode::none) {
        entry = entry_of(node, byte);
        byte -= lists[node.begins + entry];
      } else if (node.displacements != PlacesNode::none) {
        entry = byte / node.size;
        byte %= node.size;
      }
      if (node.displacements != PlacesNode::none) at += lists[node.displacements + entry];
      if (node.children != PlacesNode::none) {
        index = lists[node.children + entry];
        continue;
      }
      at += byte / node.size * node.stride;
      byte %= node.size;
      index = node.child;
    }
    return at + byte;
  }
};

/// Of a layout that is not empty, in host memory.
struct Places {
  explicit Places(const Layout& layout);
  PlacesView view() const { return {nodes.data(), lists.data(), offset}; }

  std::vector<PlacesNode> nodes;
  std::vector<std::int64_t> lists;
  std::int64_t offset;

 private:
  std::int64_t append(const layout::Node& node);
  std::int64_t append_list(const std::vector<std::int64_t>& list);
};

}  // namespace typewarp::bench
