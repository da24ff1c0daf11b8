// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/node.hpp"

#include <cstdint>
#include <vector>

namespace typewarp::test {

/// The offset of every byte of a layout, in its order, by plain recursion.
inline void layout_bytes(const layout::Node& node, std::int64_t origin, std::vector<std::int64_t>& out) {
  if (const auto* run = std::get_if<layout::Run>(&node.shape)) {
    for (std::int64_t i = 0; i < run->bytes; ++i) out.push_back(origin + i);
  } else if (const auto* repeat = std::get_if<layout::Repeat>(&node.shape)) {
    for (std::int64_t i = 0; i < repeat->count; ++i) {
      layout_bytes(*repeat->child, origin + i * repeat->stride, out);
    }
  } else if (const auto* blocks = std::get_if<layout::Blocks>(&node.shape)) {
    for (std::size_t i = 0; i < blocks->displacements.size(); ++i) {
      const std::int64_t count = blocks->counts.empty() ? 1 : blocks->counts[i];
      for (std::int64_t j = 0; j < count; ++j) {
        layout_bytes(*blocks->child, origin + blocks->displacements[i] + j * blocks->stride, out);
      }
    }
  } else {
    const auto& sequence = std::get<layout::Sequence>(node.shape);
    for (std::size_t i = 0; i < sequence.members.size(); ++i) {
      layout_bytes(*sequence.members[i], origin + sequence.displacements[i], out);
    }
  }
}

inline std::vector<std::int64_t> layout_bytes(const Layout& layout) {
  std::vector<std::int64_t> out;
  layout_bytes(*layout.root, layout.offset, out);
  return out;
}

}  // namespace typewarp::test
