// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/tiles.hpp"

#include "engine/runtime/displaced.hpp"

#include "engine/device/kernels/launch.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

namespace typewarp::gpu {
namespace {

using Extents = std::array<std::int64_t, Strided::capacity>;  ///< cells of a tile, by axis
using Order = std::array<std::size_t, Strided::capacity>;     ///< axes, fastest first

/// The part of an index space that a range of words meets, and where it begins.
struct Section {
  Axes axes;
  std::int64_t packed = 0;  ///< words
  std::int64_t memory = 0;  ///< bytes
};

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

/// Cuts the outermost axes down to the indices that words [first, last) meet; first < last.
Section section(const Axes& axes, std::int64_t first, std::int64_t last) {
  Section result;
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

/// The tile of at most `capacity` cells that holds the longest rows in either order.
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

constexpr int line = 128;  // bytes that a device reads and writes best together

/// The axes along which single words are neighbours in the packed stream and in memory; null if there is
/// none.
struct NearAxes {
  const Axis* packed = nullptr;
  const Axis* memory = nullptr;
};

NearAxes near_axes(const Axes& axes, int word) {
  NearAxes result;
  for (const Axis& axis : axes) {
    if (axis.packed == 1) result.packed = &axis;
    if (axis.memory == word) result.memory = &axis;
  }
  return result;
}

/// Axes of cells of fold x fold words, packed distances in pieces.
Axes folded(const Axes& axes, int word, int fold) {
  const NearAxes near = near_axes(axes, word);
  Axes result;
  for (const Axis& axis : axes) {
    Axis next{axis.count, axis.packed / fold, axis.memory};
    if (&axis == near.packed) next = {axis.count / fold, 1, axis.memory * fold};
    if (&axis == near.memory) next = {axis.count / fold, axis.packed, axis.memory * fold};
    result.add(next);
  }
  return result;
}

void set_digits(Tiles& tiles, const Axes& axes, const Extents& extents, const Order& by_packed,
                const Order& by_memory, int piece) {
  const auto digit = [&](std::size_t i, std::int64_t offset) {
    const Axis& axis = axes.axis[i];
    return Digit{Divider<std::uint32_t>(extents[i]), static_cast<std::int32_t>(offset),
                 static_cast<std::uint32_t>(axis.packed), 0, -1};
  };
  // A tile of one cell is numbered all the same.
  tiles.by_packed.digits[0] = tiles.by_memory.digits[0] = {Divider<std::uint32_t>(2), 0, 0, 0, -1};
  int packed_digits = 0, memory_digits = 0;
  for (std::size_t i = 0; i < axes.depth; ++i) {
    const std::size_t p = by_packed[i], m = by_memory[i];
    if (extents[p] > 1) tiles.by_packed.digits[packed_digits++] = digit(p, axes.axis[p].packed);
    if (extents[m] > 1) tiles.by_memory.digits[memory_digits++] = digit(m, axes.axis[m].memory / piece);
    tiles.reach += static_cast<std::uint32_t>((extents[i] - 1) * axes.axis[i].packed);
  }
  tiles.depth = packed_digits;
  tiles.volume = static_cast<std::uint32_t>(volume(axes, extents));
}

/// The digit of `order` for the same axis as `digit`: axes differ in their packed distance.
Digit& same_axis(TileOrder& order, const Digit& digit, int depth) {
  return *std::find_if(order.digits, order.digits + depth,
                       [&](const Digit& other) { return other.packed == digit.packed; });
}

/// Lays the cells out in shared memory in the order of memory, `pad` cells left free behind each row of the
/// axes before the first that is faster in the packed stream. Returns the cells needed.
std::uint32_t lay_out(Tiles& tiles, std::uint32_t pad) {
  int common = 0;
  while (common < tiles.depth &&
         tiles.by_packed.digits[common].packed == tiles.by_memory.digits[common].packed) {
    ++common;
  }
  std::uint32_t step = 1;
  for (int i = 0; i < tiles.depth; ++i) {
    Digit& digit = tiles.by_memory.digits[i];
    if (common < tiles.depth && digit.packed == tiles.by_packed.digits[common].packed) step += pad;
    digit.cell = step;
    same_axis(tiles.by_packed, digit, tiles.depth).cell = step;
    step *= digit.extent.divisor;
  }
  return step;
}

/// Accesses to the busiest bank when the first threads that are served together go along the packed stream.
int busiest_bank(const Tiles& tiles, int piece) {
  constexpr int bank = 4;
  const int width = std::max(bank, piece);
  const auto banks = static_cast<std::uint32_t>(line / width);
  std::array<int, line / bank> uses{};
  std::array<std::uint32_t, line / bank> at{};
  for (std::uint32_t number = 0; number < std::min(banks, tiles.volume); ++number) {
    Place place[1];
    tiles.locate(tiles.by_packed, number, 0, nullptr, place);
    const std::uint32_t word =
        place[0].cell * static_cast<std::uint32_t>(piece) / static_cast<std::uint32_t>(width);
    if (uses[word % banks] == 0 || at[word % banks] != word) ++uses[word % banks];
    at[word % banks] = word;
  }
  return *std::max_element(uses.begin(), uses.end());
}

void lay_out_across_banks(Tiles& tiles, const TilePolicy& policy) {
  constexpr std::uint32_t most = 32;
  std::uint32_t best = 0;
  int least = policy.threads;
  for (std::uint32_t pad = 0; pad < most && least > 1; ++pad) {
    if (lay_out(tiles, pad) > static_cast<std::uint32_t>(policy.room())) break;
    const int uses = busiest_bank(tiles, policy.piece());
    if (uses < least) {
      least = uses;
      best = pad;
    }
  }
  lay_out(tiles, best);
}

/// Rows of neighbours on one side; those of several digits are left as they are.
void align(TileOrder& order, int depth, const std::byte* base, int piece) {
  const auto address = reinterpret_cast<std::uintptr_t>(base) / static_cast<std::uintptr_t>(piece);
  const Digit* digits = order.digits;
  const auto extent = digits[0].extent.divisor;
  if (depth == 0 || digits[0].offset != 1) return;
  if (depth > 1 && digits[1].offset == static_cast<std::int64_t>(extent)) return;
  order.line_mask = std::min(static_cast<std::uint32_t>(line / piece), std::bit_floor(extent)) - 1;
  order.phase = static_cast<std::uint32_t>(address) & order.line_mask;
}

/// The axes with several tiles, that of neighbours on the written side first: what two tiles write of one
/// line then meets in the cache.
void set_grid(Tiles& tiles, const Axes& axes, const Extents& extents, const Order& written_first) {
  tiles.count = 1;
  for (std::size_t n = 0; n < axes.depth; ++n) {
    const std::size_t i = written_first[n];
    const Axis& axis = axes.axis[i];
    if (extents[i] == axis.count) continue;
    const std::int64_t along = (axis.count + extents[i] - 1) / extents[i];
    GridAxis& next = tiles.grid[tiles.grid_depth];
    next = {Divider<std::uint32_t>(along), static_cast<std::uint32_t>(axis.count),
            static_cast<std::uint32_t>(extents[i]), static_cast<std::uint32_t>(axis.packed), axis.memory};
    for (TileOrder* order : {&tiles.by_packed, &tiles.by_memory}) {
      for (int d = 0; d < tiles.depth; ++d) {
        if (order->digits[d].packed == next.packed) order->digits[d].slot = tiles.grid_depth;
      }
    }
    ++tiles.grid_depth;
    tiles.count *= static_cast<std::uint32_t>(along);
  }
}

/// `order` with the fastest axis of `other` that has several tiles in the second place after its own.
Order interleaved(const Order& order, const Order& other, const Axes& axes, const Extents& extents) {
  const auto split = [&](std::size_t i) { return extents[i] < axes.axis[i].count; };
  Order result = order;
  const auto end = result.begin() + static_cast<std::ptrdiff_t>(axes.depth);
  const auto own = std::find_if(result.begin(), end, split);
  const auto wanted =
      std::find_if(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(axes.depth), split);
  if (own == end || *wanted == *own) return result;
  const auto place = std::find(own + 1, end, *wanted);
  std::rotate(own + 1, place, place + 1);
  return result;
}

Edge edge(const Transposition& transposition, const TransposedMove& move, std::int64_t begin,
          std::int64_t end) {
  if (begin == end) return {};
  const std::int64_t word = begin / transposition.word;
  const std::int64_t inside = begin % transposition.word;
  return {displaced(move.user, transposition.offset(word) + inside), displaced(move.packed, begin),
          static_cast<int>(end - begin)};
}

}  // namespace

Tiles tiles(const Transposition& transposition, const TransposedMove& move, const TilePolicy& policy) {
  const Span span(move.range, transposition.word, transposition.word, 0);
  Tiles result{};
  result.head = edge(transposition, move, span.origin + span.head_begin, span.origin + span.head_end);
  result.tail = edge(transposition, move, span.origin + span.tail_begin, span.origin + span.tail_end);
  if (span.units == 0) return result;

  const std::int64_t first = (span.origin + span.first) / transposition.word;
  const std::int64_t last = first + span.units;
  const Section part = section(transposition.axes, first, last);
  const Axes axes = folded(part.axes, policy.word, policy.fold);
  const Order by_packed = packed_order();
  const Order by_memory = memory_order(axes);
  const Extents extents = box(axes, by_packed, by_memory, policy.capacity());
  result.user = displaced(move.user, part.memory);
  result.packed = displaced(move.packed, part.packed * policy.word);
  result.first = static_cast<std::uint32_t>((first - part.packed) / policy.fold);
  result.last = static_cast<std::uint32_t>((last - part.packed) / policy.fold);
  if (policy.fold > 1) {
    const NearAxes near = near_axes(part.axes, policy.word);
    result.user_pieces = near.packed->memory;
    result.packed_pieces = near.memory->packed * policy.word;
  }
  set_digits(result, axes, extents, by_packed, by_memory, policy.piece());
  lay_out_across_banks(result, policy);
  align(result.by_packed, result.depth, result.packed, policy.piece());
  align(result.by_memory, result.depth, result.user, policy.piece());
  set_grid(result, axes, extents,
           move.direction == Direction::pack ? interleaved(by_packed, by_memory, axes, extents)
                                             : interleaved(by_memory, by_packed, axes, extents));
  return result;
}

ByteRange foldable(const Transposition& transposition, const TransposedMove& move, int fold) {
  const int piece = transposition.word * fold;
  const NearAxes near = near_axes(transposition.axes, transposition.word);
  if (near.packed == nullptr || near.memory == nullptr || near.packed == near.memory) return {};
  auto bits = reinterpret_cast<std::uintptr_t>(move.user) | reinterpret_cast<std::uintptr_t>(move.packed);
  for (const Axis& axis : transposition.axes) {
    if (&axis != near.memory) bits |= static_cast<std::uintptr_t>(axis.memory);
  }
  if (bits % static_cast<std::uintptr_t>(piece) != 0) return {};
  if (near.packed->count % fold != 0 || near.memory->count % fold != 0) return {};
  const std::int64_t unit = near.memory->packed * piece;
  const ByteRange inner{(move.range.begin + unit - 1) / unit * unit, move.range.end / unit * unit};
  return inner.begin < inner.end ? inner : ByteRange{};
}

}  // namespace typewarp::gpu
