// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "layout/sequence.hpp"

#include "layout/period.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace typewarp::layout {
namespace {

// Collects parts as blocks of one child with one stride; lists only if they may be written out.
class Collector {
 public:
  Collector(NodePtr child, std::int64_t stride, bool write_out)
      : list_{{}, {}, stride, std::move(child)}, write_out_(write_out) {}

  bool add(const Layout& part) {
    const auto* repeat = std::get_if<Repeat>(&part.root->shape);
    const auto* blocks = std::get_if<Blocks>(&part.root->shape);
    if (same(part.root, list_.child)) {
      append(part.offset, 1);
    } else if (bytes() && run_bytes(*part.root) >= 0) {
      append(part.offset, part.root->size);
    } else if (repeat != nullptr && repeat->stride == list_.stride && same(repeat->child, list_.child)) {
      append(part.offset, repeat->count);
    } else if (blocks != nullptr && write_out_ && same(blocks->child, list_.child) &&
               (blocks->counts.empty() || blocks->stride == list_.stride)) {
      for (std::size_t i = 0; i < blocks->displacements.size(); ++i) {
        append(part.offset + blocks->displacements[i], blocks->counts.empty() ? 1 : blocks->counts[i]);
      }
    } else {
      return false;
    }
    return true;
  }

  Blocks take() { return std::move(list_); }

 private:
  bool bytes() const { return run_bytes(*list_.child) == 1 && list_.stride == 1; }

  void append(std::int64_t displacement, std::int64_t count) {
    list_.displacements.push_back(displacement);
    list_.counts.push_back(count);
  }

  Blocks list_;
  bool write_out_;
};

// The child and stride that all parts would have to share to be one list of blocks.
Collector collector_for(const std::vector<Layout>& parts, bool write_out) {
  for (const Layout& part : parts) {
    if (const auto* blocks = std::get_if<Blocks>(&part.root->shape)) {
      return {blocks->child, blocks->stride, write_out};
    }
  }
  if (std::ranges::all_of(parts, [](const Layout& part) { return run_bytes(*part.root) >= 0; })) {
    return {run(1), 1, write_out};
  }
  for (const Layout& part : parts) {
    if (const auto* repeat = std::get_if<Repeat>(&part.root->shape)) {
      return {repeat->child, repeat->stride, write_out};
    }
  }
  return {parts.front().root, 0, write_out};
}

// Parts as one list of blocks, if they can be.
std::optional<Blocks> as_blocks(const std::vector<Layout>& parts, bool write_out) {
  const auto collect = [&parts](Collector collector) -> std::optional<Blocks> {
    for (const Layout& part : parts) {
      if (!collector.add(part)) return std::nullopt;
    }
    return collector.take();
  };
  if (std::optional<Blocks> list = collect({parts.front().root, 0, write_out})) return list;
  return collect(collector_for(parts, write_out));
}

// Joins b to a where it lies next to it: runs, and repetitions of one child with one stride.
std::optional<Layout> join(const Layout& a, const Layout& b) {
  const std::int64_t distance = b.offset - a.offset;
  const std::int64_t bytes = run_bytes(*a.root);
  if (bytes >= 0 && run_bytes(*b.root) >= 0) {
    if (distance != bytes) return std::nullopt;
    return Layout{a.offset, run(bytes + b.root->size)};
  }
  const auto* left = std::get_if<Repeat>(&a.root->shape);
  const auto* right = std::get_if<Repeat>(&b.root->shape);
  if (left != nullptr && continues(distance, left->count, left->stride)) {
    if (same(left->child, b.root)) return make_repeat({a.offset, left->child}, left->count + 1, left->stride);
    if (right != nullptr && right->stride == left->stride && same(left->child, right->child)) {
      return make_repeat({a.offset, left->child}, left->count + right->count, left->stride);
    }
  }
  if (right != nullptr && distance == right->stride && same(right->child, a.root)) {
    return make_repeat({a.offset, right->child}, right->count + 1, right->stride);
  }
  return std::nullopt;
}

// Drops empty parts and joins what can be joined.
std::vector<Layout> joined(std::vector<Layout> parts) {
  std::vector<Layout> result;
  for (Layout& part : parts) {
    if (part.root->size == 0) continue;
    // What was joined may in turn continue what stands before it.
    while (!result.empty()) {
      std::optional<Layout> both = join(result.back(), part);
      if (!both) break;
      part = *std::move(both);
      result.pop_back();
    }
    result.push_back(std::move(part));
  }
  return result;
}

std::int64_t written_out(const std::vector<Layout>& parts) {
  std::int64_t entries = 0;
  for (const Layout& part : parts) {
    if (__builtin_add_overflow(entries, layout::entries(*part.root), &entries)) {
      return std::numeric_limits<std::int64_t>::max();
    }
  }
  return entries;
}

// The sequences among the parts that are used once, if their members are at most `most`.
std::unordered_set<const Node*> used_once(const std::vector<Layout>& parts, std::int64_t most) {
  std::unordered_map<const Node*, int> uses;
  for (const Layout& part : parts) {
    if (std::holds_alternative<Sequence>(part.root->shape)) ++uses[part.root.get()];
  }
  std::unordered_set<const Node*> once;
  std::int64_t members = 0;
  for (const auto& [node, count] : uses) {
    if (count > 1) continue;
    once.insert(node);
    members += std::ssize(std::get<Sequence>(node->shape).members);
  }
  return members <= most ? once : std::unordered_set<const Node*>{};
}

// `open(node)` tells which sequences are.
template <typename Open>
std::vector<Layout> flattened(const std::vector<Layout>& parts, Open open) {
  std::vector<Layout> flat;
  for (const Layout& part : parts) {
    const auto* nested = std::get_if<Sequence>(&part.root->shape);
    if (nested == nullptr || !open(part.root.get())) {
      flat.push_back(part);
      continue;
    }
    for (std::size_t i = 0; i < nested->members.size(); ++i) {
      flat.push_back({part.offset + nested->displacements[i], nested->members[i]});
    }
  }
  return flat;
}

// Members of different shape, at least two, none empty.
Layout fold_sequence(std::vector<Layout> parts, std::int64_t longest) {
  Sequence list;
  for (const Layout& part : parts) {
    list.displacements.push_back(part.offset);
    list.members.push_back(part.root);
  }
  const std::size_t n = parts.size();
  const std::size_t period = smallest_period(list.displacements, [&list](std::size_t i, std::size_t k) {
    return same(list.members[i], list.members[k]);
  });
  if (period < n) {
    const std::int64_t stride = list.displacements[period] - list.displacements[0];
    parts.resize(period);
    return make_repeat(make_sequence(std::move(parts), longest), static_cast<std::int64_t>(n / period),
                       stride);
  }
  const std::int64_t first = parts.front().offset;
  for (std::int64_t& displacement : list.displacements) displacement -= first;
  return {first, sequence(std::move(list))};
}

}  // namespace

Layout make_sequence(std::vector<Layout> parts, std::int64_t longest) {
  const bool write_out = written_out(parts) <= longest;
  // Equal sequences are one repetition or list; only then are different ones opened up.
  for (const bool open : {false, true}) {
    if (open && write_out) {
      parts = flattened(parts, [](const Node*) { return true; });
    } else if (open) {
      const auto once = used_once(parts, longest);
      parts = flattened(parts, [&once](const Node* node) { return once.contains(node); });
    }
    parts = joined(std::move(parts));
    if (parts.empty()) return {};
    if (parts.size() == 1) return parts.front();
    if (const std::optional<Blocks> list = as_blocks(parts, write_out)) {
      return make_blocks({list->displacements, list->counts, 1, list->stride, list->child}, 0);
    }
  }
  return fold_sequence(std::move(parts), longest);
}

}  // namespace typewarp::layout
