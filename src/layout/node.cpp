// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "layout/node.hpp"

#include <algorithm>
#include <utility>

namespace typewarp::layout {
namespace {

// What lies at `displacement` widens the bounds of the node under construction.
void cover(Node& node, const Node& child, std::int64_t displacement) {
  node.true_lb = std::min(node.true_lb, displacement + child.true_lb);
  node.true_ub = std::max(node.true_ub, displacement + child.true_ub);
}

bool same_shape(const Run& a, const Run& b) { return a.bytes == b.bytes; }

bool same_shape(const Repeat& a, const Repeat& b) {
  return a.count == b.count && a.stride == b.stride && same(a.child, b.child);
}

bool same_shape(const Blocks& a, const Blocks& b) {
  return a.stride == b.stride && a.displacements == b.displacements && a.counts == b.counts &&
         same(a.child, b.child);
}

bool same_shape(const Sequence& a, const Sequence& b) {
  return a.displacements == b.displacements && std::ranges::equal(a.members, b.members, same);
}

}  // namespace

NodePtr run(std::int64_t bytes) { return std::make_shared<const Node>(Node{Run{bytes}, bytes, 0, bytes}); }

NodePtr repeat(std::int64_t count, std::int64_t stride, NodePtr child) {
  Node node{Run{0}, count * child->size, child->true_lb, child->true_ub};
  cover(node, *child, (count - 1) * stride);
  node.shape = Repeat{count, stride, std::move(child)};
  return std::make_shared<const Node>(std::move(node));
}

NodePtr blocks(Blocks blocks) {
  const Node& child = *blocks.child;
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t children = std::ssize(blocks.displacements);
  for (std::size_t i = 0; i < blocks.displacements.size(); ++i) {
    const std::int64_t first = blocks.displacements[i];
    const std::int64_t further = blocks.counts.empty() ? 0 : blocks.counts[i] - 1;
    const std::int64_t last = first + further * blocks.stride;
    low = std::min({low, first, last});
    high = std::max({high, first, last});
    children += further;
  }
  Node node{Run{0}, children * child.size, low + child.true_lb, high + child.true_ub};
  node.shape = std::move(blocks);
  return std::make_shared<const Node>(std::move(node));
}

NodePtr sequence(Sequence sequence) {
  Node node{Run{0}, 0, sequence.members.front()->true_lb, sequence.members.front()->true_ub};
  for (std::size_t i = 0; i < sequence.members.size(); ++i) {
    node.size += sequence.members[i]->size;
    cover(node, *sequence.members[i], sequence.displacements[i]);
  }
  node.shape = std::move(sequence);
  return std::make_shared<const Node>(std::move(node));
}

bool same(const NodePtr& a, const NodePtr& b) { return a == b || *a == *b; }

std::int64_t run_bytes(const Node& node) noexcept {
  const Run* run = std::get_if<Run>(&node.shape);
  return run != nullptr ? run->bytes : -1;
}

bool operator==(const Node& a, const Node& b) {
  if (a.size != b.size || a.shape.index() != b.shape.index()) return false;
  return std::visit(
      [&b](const auto& shape) { return same_shape(shape, std::get<std::decay_t<decltype(shape)>>(b.shape)); },
      a.shape);
}

}  // namespace typewarp::layout
