// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/plain_loops.hpp"

#include <cstring>

namespace typewarp::cli {
namespace {

using layout::Node;

template <typename Move>
void walk(const Node& node, std::int64_t at, const Move& move);

/// `count` copies of a child. The loop over runs is the one that counts.
template <typename Move>
void walk_row(const Node& child, std::int64_t at, std::int64_t count, std::int64_t stride, const Move& move) {
  if (const auto* const run = std::get_if<layout::Run>(&child.shape)) {
    const std::int64_t bytes = run->bytes;
    if (stride == bytes) return move(at, count * bytes);
    for (std::int64_t i = 0; i < count; ++i) move(at + i * stride, bytes);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) walk(child, at + i * stride, move);
}

template <typename Move>
void walk(const Node& node, std::int64_t at, const Move& move) {
  if (const auto* const run = std::get_if<layout::Run>(&node.shape)) return move(at, run->bytes);
  if (const auto* const repeat = std::get_if<layout::Repeat>(&node.shape)) {
    return walk_row(*repeat->child, at, repeat->count, repeat->stride, move);
  }
  if (const auto* const blocks = std::get_if<layout::Blocks>(&node.shape)) {
    for (std::size_t i = 0; i < blocks->displacements.size(); ++i) {
      const std::int64_t count = blocks->counts.empty() ? 1 : blocks->counts[i];
      walk_row(*blocks->child, at + blocks->displacements[i], count, blocks->stride, move);
    }
    return;
  }
  const auto& sequence = std::get<layout::Sequence>(node.shape);
  for (std::size_t i = 0; i < sequence.members.size(); ++i) {
    walk(*sequence.members[i], at + sequence.displacements[i], move);
  }
}

std::size_t size(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

}  // namespace

void pack_by_loops(const Layout& layout, const std::byte* buffer, std::byte* packed) {
  walk(*layout.root, layout.offset, [&packed, buffer](std::int64_t at, std::int64_t bytes) {
    std::memcpy(packed, buffer + at, size(bytes));
    packed += bytes;
  });
}

void unpack_by_loops(const Layout& layout, const std::byte* packed, std::byte* buffer) {
  walk(*layout.root, layout.offset, [&packed, buffer](std::int64_t at, std::int64_t bytes) {
    std::memcpy(buffer + at, packed, size(bytes));
    packed += bytes;
  });
}

}  // namespace typewarp::cli
