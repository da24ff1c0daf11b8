// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/strided.hpp"

#include <variant>

namespace typewarp::cuda {
namespace {

bool add_level(Strided& shape, Level level) {
  if (level.count == 1) return true;
  Level& inner = shape.levels[shape.depth - 1];
  if (level.stride == inner.count * inner.stride) {
    return !__builtin_mul_overflow(inner.count, level.count, &inner.count);
  }
  if (shape.depth == Strided::capacity) return false;
  shape.levels[shape.depth++] = level;
  return true;
}

bool add_node(Strided& shape, const layout::Node& node) {
  if (const auto* run = std::get_if<layout::Run>(&node.shape)) {
    shape.levels[0] = {run->bytes, 1};
    shape.depth = 1;
    return true;
  }
  const auto* repeat = std::get_if<layout::Repeat>(&node.shape);
  return repeat != nullptr && add_node(shape, *repeat->child) &&
         add_level(shape, {repeat->count, repeat->stride});
}

}  // namespace

std::int64_t Strided::grain() const noexcept {
  std::int64_t bits = 16 | levels[0].count;
  for (std::size_t i = 1; i < depth; ++i) bits |= levels[i].stride;
  return bits & -bits;
}

std::optional<Strided> strided(const Layout& layout, std::int64_t count, std::int64_t extent) {
  Strided shape;
  if (!add_node(shape, *layout.root) || !add_level(shape, {count, extent})) return std::nullopt;
  return shape;
}

}  // namespace typewarp::cuda
