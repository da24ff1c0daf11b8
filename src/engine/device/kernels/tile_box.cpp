// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/tile_box.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

namespace typewarp::gpu {
namespace {

/// Widens the tile until `chunk` cells in a row, as `order` has it, are inside. An axis that is little longer
/// than that is taken whole, which spares tiles of a narrow rest. Others are cut at powers of two, so that
/// tiles begin where lines do.
void widen(Extents& extents, const Axes& axes, const Order& order, std::int64_t chunk) {
  for (std::size_t i = 0; i < axes.depth && chunk > 1; ++i) {
    const std::int64_t count = axes.axis[order[i]].count;
    const std::int64_t extent = 2 * count <= 3 * chunk ? count : chunk;
    extents[order[i]] = std::max(extents[order[i]], extent);
    if (extent < count) return;
    chunk = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>((chunk + count - 1) / count)));
  }
}

}  // namespace

Window window(const Axes& axes, std::int64_t first, std::int64_t last) {
  Window result;
  Axes cut = axes;
  for (std::size_t i = cut.depth; i-- > 0;) {
    Axis& axis = cut.axis[i];
    const std::int64_t low = (first - result.packed) / axis.packed;
    const std::int64_t high = (last - 1 - result.packed) / axis.packed;
    result.packed += low * axis.packed;
    result.memory += low * axis.memory;
    axis.count = high - low + 1;
    if (axis.count > 1) break;
  }
  for (const Axis& axis : cut) result.axes.add(axis);
  return result;
}

Order packed_order() {
  Order order{};
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  return order;
}

Order memory_order(const Axes& axes) {
  Order order = packed_order();
  const auto distance = [&](std::size_t i) { return std::abs(axes.axis[i].memory); };
  // By insertion: few axes, and std::stable_sort would allocate.
  for (std::size_t i = 1; i < axes.depth; ++i) {
    for (std::size_t j = i; j > 0 && distance(order[j]) < distance(order[j - 1]); --j) {
      std::swap(order[j], order[j - 1]);
    }
  }
  return order;
}

std::int64_t volume(const Axes& axes, const Extents& extents) {
  std::int64_t product = 1;
  for (std::size_t i = 0; i < axes.depth; ++i) product *= extents[i];
  return product;
}

Extents box(const Axes& axes, const Order& by_packed, const Order& by_memory, std::int64_t capacity) {
  Extents best{};
  best.fill(1);
  std::int64_t packed = 1, memory = 1;
  const auto grow = [&](std::int64_t& chunk) {
    if (chunk >= capacity) return false;
    chunk *= 2;
    Extents wider{};
    wider.fill(1);
    widen(wider, axes, by_packed, packed);
    widen(wider, axes, by_memory, memory);
    if (volume(axes, wider) > capacity) {
      chunk /= 2;
      return false;
    }
    best = wider;
    return true;
  };
  for (bool grown = true; grown;) {
    grown = grow(packed);
    grown = grow(memory) || grown;
  }
  return best;
}

}  // namespace typewarp::gpu
