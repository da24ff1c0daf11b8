// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/layout/shape.hpp"

#include "engine/runtime/displaced.hpp"
#include "engine/device/layout/lists.hpp"

#include <algorithm>
#include <limits>

namespace typewarp::gpu {
namespace {

using plan::Kind;

/// Indices below this one may be added once and still be divided by multiplication.
constexpr std::int64_t index_limit = std::int64_t{1} << 30;

/// Runs below node `index`, joined or not; more than flat_runs count as one more.
std::int64_t count_runs(const plan::Encoding& encoding, std::size_t index) {
  const plan::EncodedNode& node = encoding.nodes[index];
  std::int64_t runs = 0;
  switch (node.kind) {
    case Kind::run:
      return 1;
    case Kind::repeat:
    case Kind::blocks:
      if (__builtin_mul_overflow(node.count, count_runs(encoding, index + 1), &runs)) return flat_runs + 1;
      break;
    case Kind::varying:
      if (lists_runs(encoding, index)) {
        runs = node.count;
      } else if (__builtin_mul_overflow(node.size / node.child_size, count_runs(encoding, index + 1),
                                        &runs)) {
        return flat_runs + 1;
      }
      break;
    case Kind::sequence: {
      const auto* members = reinterpret_cast<const std::int32_t*>(encoding.lookaside.data() + node.members);
      for (std::int64_t i = 0; i < node.count && runs <= flat_runs; ++i) {
        runs += count_runs(encoding, static_cast<std::size_t>(members[i]));
      }
      break;
    }
  }
  return std::min(runs, flat_runs + 1);
}

/// Node `index`, of any kind, as one irregular item.
bool add_irregular(Shape& shape, const plan::Encoding& encoding, std::size_t index) {
  const plan::EncodedNode& node = encoding.nodes[index];
  const bool listed = lists_runs(encoding, index);
  const std::int64_t runs = listed ? node.count : count_runs(encoding, index);
  if (!listed && runs > flat_runs) return false;
  const std::int64_t units = node.size / encoding.grain;
  shape = {};
  shape.node = index;
  if (static_cast<double>(units) <= list_units * static_cast<double>(runs)) {
    shape.strided.add({encoding.grain, 1});
    shape.lookup = Lookup::list;
    shape.lookup_level = shape.strided.depth;
    shape.lists_units = true;
    return shape.strided.add({units, 0});
  }
  shape.strided.add({node.size, 1});
  shape.lookup = units <= runs * rank_units ? Lookup::rank : Lookup::search;
  return true;
}

bool add_node(Shape& shape, const plan::Encoding& encoding, std::size_t index) {
  const plan::EncodedNode& node = encoding.nodes[index];
  switch (node.kind) {
    case Kind::run:
      return shape.strided.add({node.size, 1});
    case Kind::repeat:
      return add_node(shape, encoding, index + 1) && shape.repeat(node.count, node.stride);
    case Kind::blocks:
      if (!add_node(shape, encoding, index + 1)) return false;
      if (shape.lookup != Lookup::none) return add_irregular(shape, encoding, index);
      shape.lookup = Lookup::list;
      shape.lookup_level = shape.strided.depth;
      shape.node = index;
      return shape.strided.add({node.count, 0});
    case Kind::varying:
    case Kind::sequence:
      return add_irregular(shape, encoding, index);
  }
  return false;
}

}  // namespace

std::int64_t Strided::grain() const noexcept {
  std::int64_t bits = 16 | levels[0].count;
  for (std::size_t i = 1; i < depth; ++i) bits |= levels[i].stride;
  return bits & -bits;
}

bool Strided::add(Level level) {
  if (depth == capacity) return false;
  levels[depth++] = level;
  return true;
}

bool Strided::extend(Level level) {
  if (depth == 0) return false;
  Level& outer = levels[depth - 1];
  std::int64_t span = 0;
  std::int64_t count = 0;
  if (__builtin_mul_overflow(outer.count, outer.stride, &span) || span != level.stride ||
      __builtin_mul_overflow(outer.count, level.count, &count)) {
    return false;
  }
  outer.count = count;
  return true;
}

bool Shape::repeat(std::int64_t count, std::int64_t stride) {
  if (count == 1) return true;
  const bool regular = lookup == Lookup::none || lookup_level + 1 < strided.depth;
  return (regular && strided.extend({count, stride})) || strided.add({count, stride});
}

std::int64_t Shape::outer_step() const noexcept {
  std::int64_t step = 1;
  for (std::size_t i = 0; i + 1 < strided.depth; ++i) {
    if (__builtin_mul_overflow(step, strided.levels[i].count, &step)) {
      return std::numeric_limits<std::int64_t>::max();
    }
  }
  return step;
}

bool Shape::fits(int word_log2) const noexcept {
  if (lookup == Lookup::generic) return false;
  // An irregular item that is not repeated cannot be entered in its middle.
  const bool whole = lookup != Lookup::none && lookup != Lookup::list && strided.depth == 1;
  const std::int64_t most = whole ? strided.levels[0].count : outer_step();
  return most >> word_log2 < index_limit;
}

Shape shape_of(const plan::Encoding& encoding) {
  Shape shape;
  if (add_node(shape, encoding, 0) || add_irregular(shape, encoding, 0)) return shape;
  Shape generic;
  generic.lookup = Lookup::generic;
  return generic;
}

double average_run(const plan::Encoding& encoding, const Shape& shape) {
  double run = 1;
  if (shape.lookup == Lookup::generic) return shortest_run(encoding);
  if (shape.lookup == Lookup::rank || shape.lookup == Lookup::search) {
    with_runs(encoding, shape.node,
              [&](const plan::EncodedNode& list, const plan::Encoding&) { run = average_run(list); });
  }
  return run;
}

View levels_view(const Shape& shape, const Lists& lists, std::byte* base, std::int64_t begin, int word_log2) {
  const Strided& levels = shape.strided;
  View view;
  view.base = base;
  view.lists = lists;
  const auto add = [&view](std::int64_t count, std::int64_t stride, bool last) {
    if (!last) view.dividers[view.depth] = plan::Divider<std::uint32_t>(count);
    view.strides[view.depth++] = stride;
  };
  for (std::size_t i = 0; i < levels.depth; ++i) {
    const bool last = i + 1 == levels.depth;
    const bool looked_up = shape.lookup != Lookup::none && i == shape.lookup_level;
    if (looked_up) view.lookup_level = view.depth;
    const std::int64_t count = i == 0 ? levels.levels[0].count >> word_log2 : levels.levels[i].count;
    if (i == 0 && count == 1 && !last && !looked_up) continue;
    add(count, i == 0 ? std::int64_t{1} << word_log2 : levels.levels[i].stride, last);
  }
  // Whole steps of the outermost level are gone before the launch, so that indices stay small.
  const bool outer_lookup = view.lookup_level + 1 == view.depth;
  const bool rebased = !outer_lookup || shape.lookup == Lookup::list;
  const std::int64_t step = shape.outer_step();
  const std::int64_t steps = rebased ? begin / step : 0;
  if (outer_lookup) {
    view.lists.displacements += steps * view.lists.width;
  } else {
    view.base = displaced(view.base, steps * levels.levels[levels.depth - 1].stride);
  }
  view.start = static_cast<std::uint32_t>((begin - steps * step) >> word_log2);
  return view;
}

}  // namespace typewarp::gpu
