// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "layout/blocks.hpp"

#include "layout/compact.hpp"
#include "layout/period.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace typewarp::layout {
namespace {

// A node for a list that is as short as it gets. A plan keeps it, so what was reserved for blocks that merged
// is given back.
Layout irregular(Blocks list) {
  for (std::vector<std::int64_t>* entries : {&list.displacements, &list.counts}) {
    if (entries->size() <= entries->capacity() / 2) entries->shrink_to_fit();
  }
  return {0, blocks(std::move(list))};
}

// The number of blocks in each of the equal, evenly spaced groups that the list consists of; 1 if it does
// not. Groups are as long as they can be: a group that the next one continues is none.
std::size_t even_groups(std::span<const std::int64_t> displacements) {
  const std::size_t n = displacements.size();
  const std::int64_t step = displacements[1] - displacements[0];
  std::size_t group = 2;
  while (group < n && displacements[group] - displacements[group - 1] == step) ++group;
  if (n % group != 0) return 1;
  for (std::size_t i = 1; i < n; ++i) {
    const bool even = displacements[i] - displacements[i - 1] == step;
    if (even == (i % group == 0)) return 1;
  }
  return group;
}

// An irregular list of single children is written as counts and a stride if that one stride makes up the
// distances between consecutive children, all but one in so many; else child by child. So the form does not
// depend on how the list was spelled, and is never much longer than that.
constexpr std::int64_t odd_share = 8;

bool few(std::int64_t odd_distances, std::int64_t distances) {
  return odd_distances * odd_share <= distances;
}

// The distance that all but a few of the children have to the next, if there is one.
std::optional<std::int64_t> common_distance(std::span<const std::int64_t> displacements) {
  const std::int64_t distances = std::ssize(displacements) - 1;
  const auto distance = [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    return displacements[at + 1] - displacements[at];
  };
  // If there is one, it has the majority wherever that leaves no room for the few others: Boyer and Moore's
  // vote finds it.
  const std::int64_t voters = std::min(distances, 2 * (distances / odd_share) + 1);
  std::int64_t candidate = 0;
  std::int64_t votes = 0;
  for (std::int64_t i = 0; i < voters; ++i) {
    candidate = votes == 0 ? distance(i) : candidate;
    votes += distance(i) == candidate ? 1 : -1;
  }
  std::int64_t odd = 0;
  for (std::int64_t i = 0; i < distances && few(odd, distances); ++i) odd += distance(i) == candidate ? 0 : 1;
  return few(odd, distances) ? std::optional(candidate) : std::nullopt;
}

Layout fold_irregular(std::vector<std::int64_t> displacements, const NodePtr& child) {
  const std::optional<std::int64_t> stride = common_distance(displacements);
  if (!stride) return irregular({std::move(displacements), {}, 0, child});
  return irregular(compacted({displacements, {}, 1, *stride, child}, {child, *stride, 1, true}).blocks);
}

// Equal children at irregular or regular places, of which the first is 0.
Layout fold_equal(std::vector<std::int64_t> displacements, const NodePtr& child) {
  const std::size_t n = displacements.size();
  if (n == 1) return {0, child};
  const std::size_t period = smallest_period(displacements, [](std::size_t, std::size_t) { return true; });
  if (period < n) {
    const std::int64_t stride = displacements[period];
    displacements.resize(period);
    return make_repeat(fold_equal(std::move(displacements), child), static_cast<std::int64_t>(n / period),
                       stride);
  }
  const std::size_t group = even_groups(displacements);
  if (group > 1) {
    const Layout inner = make_repeat({0, child}, static_cast<std::int64_t>(group), displacements[1]);
    std::vector<std::int64_t> starts;
    starts.reserve(n / group);
    for (std::size_t i = 0; i < n; i += group) starts.push_back(displacements[i]);
    return fold_equal(std::move(starts), inner.root);
  }
  return fold_irregular(std::move(displacements), child);
}

// Every child of the list by itself.
std::vector<std::int64_t> single_displacements(const Blocks& list, std::int64_t children) {
  std::vector<std::int64_t> result;
  result.reserve(static_cast<std::size_t>(children));
  for (std::size_t i = 0; i < list.displacements.size(); ++i) {
    for (std::int64_t j = 0; j < list.counts[i]; ++j) {
      result.push_back(list.displacements[i] + j * list.stride);
    }
  }
  return result;
}

Layout fold_varying(Blocks list) {
  const std::vector<std::int64_t>& counts = list.counts;
  const std::size_t n = counts.size();
  if (std::ranges::all_of(counts, [&](std::int64_t count) { return count == counts[0]; })) {
    const Layout unit = make_repeat({0, list.child}, counts[0], list.stride);
    return fold_equal(std::move(list.displacements), unit.root);
  }
  const std::size_t period = smallest_period(
      list.displacements, [&counts](std::size_t i, std::size_t k) { return counts[i] == counts[k]; });
  if (period < n) {
    const std::int64_t stride = list.displacements[period];
    list.displacements.resize(period);
    list.counts.resize(period);
    return make_repeat(fold_varying(std::move(list)), static_cast<std::int64_t>(n / period), stride);
  }
  const bool bytes = run_bytes(*list.child) == 1 && list.stride == 1;
  if (!bytes) {
    const std::int64_t children = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    if (!few(std::ssize(counts) - 1, children - 1)) {
      return make_blocks({single_displacements(list, children), {}, 1, 0, list.child}, 0);
    }
  }
  return irregular(std::move(list));
}

}  // namespace

void check_repeat(std::string_view call, const Layout& child, std::int64_t count, std::int64_t stride) {
  if (count < 0) throw InvalidArgument(call, "count", count, "must not be negative");
  if (count == 0 || child.root->size == 0) return;
  std::int64_t size = 0;
  std::int64_t last = 0;
  std::int64_t bound = 0;
  if (__builtin_mul_overflow(count, child.root->size, &size) ||
      __builtin_mul_overflow(count - 1, stride, &last) || __builtin_add_overflow(last, child.offset, &last) ||
      __builtin_add_overflow(last, child.root->true_lb, &bound) ||
      __builtin_add_overflow(last, child.root->true_ub, &bound)) {
    throw InvalidArgument(call, "count", count, "the items span more than 64 bits of bytes");
  }
}

Layout make_repeat(const Layout& child, std::int64_t count, std::int64_t stride) {
  if (count == 0 || child.root->size == 0) return {};
  if (count == 1) return child;
  const std::int64_t bytes = run_bytes(*child.root);
  if (bytes >= 0 && bytes == stride) return {child.offset, run(count * bytes)};
  if (const auto* inner = std::get_if<Repeat>(&child.root->shape)) {
    if (continues(stride, inner->count, inner->stride)) {
      return make_repeat({child.offset, inner->child}, count * inner->count, inner->stride);
    }
  }
  return {child.offset, repeat(count, stride, child.root)};
}

Layout make_blocks(const BlockList& list, std::int64_t offset) {
  if (list.child->size == 0) return {};
  const Unit unit = unit_of(list);
  auto [left, first, common] = compacted(list, unit);
  if (left.displacements.empty()) return {};
  Layout result = left.counts.empty() ? fold_equal(std::move(left.displacements),
                                                   make_repeat({0, unit.child}, common, unit.stride).root)
                                      : fold_varying(std::move(left));
  result.offset += offset + first;
  return result;
}

}  // namespace typewarp::layout
