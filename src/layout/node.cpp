// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "layout/node.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace typewarp::layout {
namespace {

// What lies at `displacement` widens the bounds of the node under construction.
void cover(Node& node, const Node& child, std::int64_t displacement) {
  node.true_lb = std::min(node.true_lb, displacement + child.true_lb);
  node.true_ub = std::max(node.true_ub, displacement + child.true_ub);
}

std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

// Compares pair by pair. Layouts that were made apart may use each node many times, so from some pairs on
// none is looked at twice.
class Comparison {
 public:
  bool equal(const Node& a, const Node& b) {
    if (!expect(a, b)) return false;
    while (!pairs_.empty()) {
      const auto [left, right] = pairs_.back();
      pairs_.pop_back();
      const auto with_right = [this, &other = right->shape](const auto& shape) {
        return same_shape(shape, std::get<std::decay_t<decltype(shape)>>(other));
      };
      if (!std::visit(with_right, left->shape)) return false;
    }
    return true;
  }

 private:
  static constexpr int remembered_from = 64;

  // Whether they may be equal; what is left to compare is done later.
  bool expect(const Node& a, const Node& b) {
    if (&a == &b) return true;
    if (a.size != b.size || a.shape.index() != b.shape.index()) return false;
    if (const auto* run = std::get_if<Run>(&a.shape)) return run->bytes == std::get<Run>(b.shape).bytes;
    if (++expected_ < remembered_from || seen_.emplace(&a, &b).second) pairs_.emplace_back(&a, &b);
    return true;
  }

  bool same_shape(const Run&, const Run&) { return true; }

  bool same_shape(const Repeat& a, const Repeat& b) {
    return a.count == b.count && a.stride == b.stride && expect(*a.child, *b.child);
  }

  bool same_shape(const Blocks& a, const Blocks& b) {
    return a.stride == b.stride && a.displacements == b.displacements && a.counts == b.counts &&
           expect(*a.child, *b.child);
  }

  bool same_shape(const Sequence& a, const Sequence& b) {
    return a.entries == b.entries && a.displacements == b.displacements &&
           std::ranges::equal(a.members, b.members, [this](const NodePtr& left, const NodePtr& right) {
             return expect(*left, *right);
           });
  }

  int expected_ = 0;
  std::vector<std::pair<const Node*, const Node*>> pairs_;
  std::set<std::pair<const Node*, const Node*>> seen_;
};

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
  sequence.runs = 0;
  sequence.entries = std::ssize(sequence.members) + 1;
  for (std::size_t i = 0; i < sequence.members.size(); ++i) {
    const Node& member = *sequence.members[i];
    node.size += member.size;
    cover(node, member, sequence.displacements[i]);
    sequence.runs = saturated_sum(sequence.runs, runs(member));
    sequence.entries = saturated_sum(sequence.entries, entries(member));
  }
  node.shape = std::move(sequence);
  return std::make_shared<const Node>(std::move(node));
}

std::int64_t runs(const Node& node) noexcept {
  std::int64_t copies = 1;
  const Node* at = &node;
  while (true) {
    if (const auto* repeat = std::get_if<Repeat>(&at->shape)) {
      copies = saturated_product(copies, repeat->count);
      at = repeat->child.get();
    } else if (const auto* blocks = std::get_if<Blocks>(&at->shape)) {
      const bool touch = run_bytes(*blocks->child) == blocks->stride;
      copies = saturated_product(copies,
                                 touch ? std::ssize(blocks->displacements) : at->size / blocks->child->size);
      at = blocks->child.get();
    } else {
      const auto* sequence = std::get_if<Sequence>(&at->shape);
      return sequence != nullptr ? saturated_product(copies, sequence->runs) : copies;
    }
  }
}

std::int64_t entries(const Node& node) noexcept {
  std::int64_t above = 0;
  const Node* at = &node;
  while (true) {
    if (const auto* repeat = std::get_if<Repeat>(&at->shape)) {
      ++above;
      at = repeat->child.get();
    } else if (const auto* blocks = std::get_if<Blocks>(&at->shape)) {
      above += std::ssize(blocks->displacements) + 1;
      at = blocks->child.get();
    } else {
      const auto* sequence = std::get_if<Sequence>(&at->shape);
      return saturated_sum(above, sequence != nullptr ? sequence->entries : 1);
    }
  }
}

bool same(const NodePtr& a, const NodePtr& b) { return a == b || *a == *b; }

std::int64_t run_bytes(const Node& node) noexcept {
  const Run* run = std::get_if<Run>(&node.shape);
  return run != nullptr ? run->bytes : -1;
}

bool operator==(const Node& a, const Node& b) { return Comparison().equal(a, b); }

}  // namespace typewarp::layout
