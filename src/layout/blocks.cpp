// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "layout/blocks.hpp"

#include "layout/period.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace typewarp::layout {
namespace {

// A list of runs counts bytes, one of repetitions counts the innermost children that continue: so that
// neighbours can merge. Returns whether they can: single children of another shape have no stride in which to
// go on.
bool refine(Blocks& list) {
  const auto scale = [&list](std::int64_t factor) {
    for (std::int64_t& count : list.counts) count *= factor;
  };
  if (list.counts.empty()) list.counts.assign(list.displacements.size(), 1);
  const bool single = std::ranges::all_of(list.counts, [](std::int64_t count) { return count <= 1; });
  const std::int64_t bytes = run_bytes(*list.child);
  if (bytes >= 0 && (single || list.stride == bytes)) {
    scale(bytes);
    list.child = run(1);
    list.stride = 1;
    return true;
  }
  const auto* inner = std::get_if<Repeat>(&list.child->shape);
  if (inner != nullptr && (single || continues(list.stride, inner->count, inner->stride))) {
    scale(inner->count);
    list.stride = inner->stride;
    list.child = NodePtr(inner->child);
    return true;
  }
  return !single;
}

// Drops empty blocks and, if `merge`, joins each block with the next where that one continues it.
void compact(Blocks& list, bool merge) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.displacements.size(); ++i) {
    if (list.counts[i] == 0) continue;
    if (merge && kept > 0 &&
        continues(list.displacements[i] - list.displacements[kept - 1], list.counts[kept - 1], list.stride)) {
      list.counts[kept - 1] += list.counts[i];
      continue;
    }
    list.displacements[kept] = list.displacements[i];
    list.counts[kept] = list.counts[i];
    ++kept;
  }
  list.displacements.resize(kept);
  list.counts.resize(kept);
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

// An irregular list of single children is written as counts and a stride if that one stride makes up at least
// this share of the distances between consecutive children, else child by child: so that the form does not
// depend on how the list was spelled, and is never much longer than that.
constexpr std::int64_t counted_numerator = 7;
constexpr std::int64_t counted_denominator = 8;

bool mostly(std::int64_t even_distances, std::int64_t distances) {
  return even_distances * counted_denominator >= distances * counted_numerator;
}

// The distance that could be the one of most children (Boyer and Moore's majority vote), and how many have
// it.
std::pair<std::int64_t, std::int64_t> commonest_distance(std::span<const std::int64_t> displacements) {
  std::int64_t candidate = 0;
  std::int64_t votes = 0;
  for (std::size_t i = 1; i < displacements.size(); ++i) {
    const std::int64_t distance = displacements[i] - displacements[i - 1];
    if (votes == 0) candidate = distance;
    votes += distance == candidate ? 1 : -1;
  }
  std::int64_t occurrences = 0;
  for (std::size_t i = 1; i < displacements.size(); ++i) {
    if (displacements[i] - displacements[i - 1] == candidate) ++occurrences;
  }
  return {candidate, occurrences};
}

Layout irregular(std::span<const std::int64_t> displacements, const NodePtr& child) {
  const auto [stride, occurrences] = commonest_distance(displacements);
  Blocks list{from_origin(displacements), {}, 0, child};
  if (mostly(occurrences, std::ssize(displacements) - 1)) {
    list.stride = stride;
    list.counts.assign(displacements.size(), 1);
    compact(list, true);
  }
  return {displacements[0], blocks(std::move(list))};
}

// Equal children at irregular or regular places.
Layout fold_equal(std::span<const std::int64_t> displacements, const NodePtr& child) {
  const std::size_t n = displacements.size();
  const Layout first{displacements[0], child};
  if (n == 1) return first;
  const std::size_t period = smallest_period(displacements, [](std::size_t, std::size_t) { return true; });
  if (period < n) {
    return make_repeat(fold_equal(displacements.first(period), child), static_cast<std::int64_t>(n / period),
                       displacements[period] - displacements[0]);
  }
  const std::size_t group = even_groups(displacements);
  if (group > 1) {
    const Layout inner =
        make_repeat(first, static_cast<std::int64_t>(group), displacements[1] - displacements[0]);
    std::vector<std::int64_t> starts;
    starts.reserve(n / group);
    for (std::size_t i = 0; i < n; i += group) starts.push_back(displacements[i]);
    return fold_equal(starts, inner.root);
  }
  return irregular(displacements, child);
}

// Every child of the list by itself.
std::vector<std::int64_t> single_displacements(std::span<const std::int64_t> displacements,
                                               std::span<const std::int64_t> counts, std::int64_t stride) {
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < displacements.size(); ++i) {
    for (std::int64_t j = 0; j < counts[i]; ++j) result.push_back(displacements[i] + j * stride);
  }
  return result;
}

Layout fold_varying(const Blocks& list, std::size_t n) {
  const std::span<const std::int64_t> displacements = std::span(list.displacements).first(n);
  const std::span<const std::int64_t> counts = std::span(list.counts).first(n);
  if (std::ranges::all_of(counts, [&](std::int64_t count) { return count == counts[0]; })) {
    const Layout unit = make_repeat({0, list.child}, counts[0], list.stride);
    return fold_equal(displacements, unit.root);
  }
  const std::size_t period = smallest_period(
      displacements, [&counts](std::size_t i, std::size_t k) { return counts[i] == counts[k]; });
  if (period < n) {
    return make_repeat(fold_varying(list, period), static_cast<std::int64_t>(n / period),
                       displacements[period] - displacements[0]);
  }
  const std::int64_t children = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const bool bytes = run_bytes(*list.child) == 1 && list.stride == 1;
  if (!bytes && !mostly(children - std::ssize(counts), children - 1)) {
    return make_blocks({single_displacements(displacements, counts, list.stride), {}, 0, list.child}, 0);
  }
  return {displacements[0],
          blocks({from_origin(displacements), {counts.begin(), counts.end()}, list.stride, list.child})};
}

}  // namespace

std::vector<std::int64_t> from_origin(std::span<const std::int64_t> displacements) {
  std::vector<std::int64_t> result(displacements.begin(), displacements.end());
  for (std::int64_t& displacement : result) displacement -= displacements.front();
  return result;
}

Layout make_blocks(Blocks list, std::int64_t offset) {
  if (list.child->size == 0) return {};
  const bool merge = refine(list);
  compact(list, merge);
  if (list.displacements.empty()) return {};
  Layout result = fold_varying(list, list.displacements.size());
  result.offset += offset;
  return result;
}

}  // namespace typewarp::layout
