// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/divider.hpp"
#include "engine/device/kernels/transpose.hpp"

#ifdef TYPEWARP_ON_DEVICE
#define TYPEWARP_UNROLL _Pragma("unroll")
#define TYPEWARP_ROLL _Pragma("unroll 1")
#else
#define TYPEWARP_UNROLL
#define TYPEWARP_ROLL
#endif

/// The tiles of a transposition: boxes of its index space, all alike but for what the last ones of an axis
/// miss. The cells of a tile are enumerated twice, in the order of memory and in that of the packed stream,
/// so that neighbouring threads touch neighbouring places on either side.
namespace typewarp::gpu {

using plan::Divider;

/// How the tiles for one size of word are cut and spread over a device.
///
/// A cell is what a thread carries at a time: `fold` x `fold` words, in `fold` pieces of `fold` words. The
/// words of a piece are consecutive in memory where the cell is read from or written to memory, and
/// consecutive in the packed stream on the other side.
struct TilePolicy {
  int word;     ///< bytes
  int fold;     ///< words of a piece
  int threads;  ///< of one block
  int cells;    ///< of one thread and tile: what it has in flight
  int blocks;   ///< resident on a multiprocessor

  TYPEWARP_HD constexpr int piece() const { return word * fold; }
  TYPEWARP_HD constexpr int capacity() const { return threads * cells; }
  /// Cells of shared memory, with those that keep apart what would meet in one bank.
  TYPEWARP_HD constexpr int room() const { return capacity() + capacity() / 8; }
};

/// The policies in use; types, since nvcc 13.0 takes no values of a class as template arguments of kernels.
template <int word, int fold, int cells, int blocks>
struct TilesOf {
  static constexpr TilePolicy value{word, fold, /*threads=*/256, cells, blocks};
};
using TilesOf16 = TilesOf<16, 1, 4, 4>;
using TilesOf8 = TilesOf<8, 1, 8, 3>;
using TilesOf4 = TilesOf<4, 1, 16, 2>;
using TilesOf2 = TilesOf<2, 1, 16, 2>;
using TilesOf1 = TilesOf<1, 1, 16, 2>;
using FoldedTilesOf4 = TilesOf<4, 2, 4, 3>;
using FoldedTilesOf2 = TilesOf<2, 2, 8, 3>;
using FoldedTilesOf1 = TilesOf<1, 4, 4, 3>;

/// A digit of a cell's number within its tile.
struct Digit {
  Divider<std::uint32_t> extent;
  std::int32_t offset;   ///< pieces on the side of this order
  std::uint32_t packed;  ///< pieces of the packed stream
  std::uint32_t cell;    ///< cells of shared memory
  std::int32_t slot;     ///< the grid axis that may end within a tile; -1: none
};

/// The digits in the order of one side, fastest first. Rows that begin within a line of memory are gone
/// through from the first border of a line on, and from their beginning to there at last: otherwise every
/// access of a warp would straddle lines.
struct TileOrder {
  Digit digits[Strided::capacity];
  std::uint32_t line_mask;  ///< pieces of a line, or of a part of it, less one; 0: rows are taken as they are
  std::uint32_t phase;      ///< pieces from the border of a line to the first tile
};

/// An axis along which there are several tiles.
struct GridAxis {
  Divider<std::uint32_t> tiles;
  std::uint32_t count;   ///< cells along the axis
  std::uint32_t extent;  ///< cells of one tile
  std::uint32_t packed;  ///< pieces a cell
  std::int64_t memory;   ///< bytes a cell
};

struct Tile {
  std::int64_t memory;                    ///< bytes from Tiles::user
  std::uint32_t packed;                   ///< pieces from Tiles::packed
  std::uint32_t rest[Strided::capacity];  ///< cells that are there, by grid axis
  bool whole;                             ///< every cell is there and within the range
};

/// Where a cell lies, relative to its tile.
struct Place {
  std::int32_t offset;   ///< pieces
  std::uint32_t packed;  ///< pieces
  std::uint32_t cell;
  bool inside;  ///< of the tile
};

/// Bytes at an end of the range that are no whole word.
struct Edge {
  std::byte* user;
  std::byte* packed;
  int bytes;
};

/// Where tile 0 lies.
struct TileSides {
  std::byte* user;
  std::byte* packed;
  std::int64_t user_pieces;    ///< bytes from one piece of a cell to the next
  std::int64_t packed_pieces;  ///< bytes
};

/// All that a kernel needs to know; travels with the launch.
struct Tiles : TileSides {
  std::uint32_t count;        ///< of tiles
  std::uint32_t volume;       ///< cells of a tile
  std::uint32_t reach;        ///< pieces of the packed stream from the first cell of a tile to its last
  std::uint32_t first, last;  ///< pieces [first, last) are moved
  int depth;                  ///< digits
  int grid_depth;
  TileOrder by_memory;
  TileOrder by_packed;
  GridAxis grid[Strided::capacity];
  Edge head;
  Edge tail;

  TYPEWARP_HD Tile tile(std::uint32_t index) const {
    Tile tile{0, 0, {}, true};
    std::uint32_t rest = index;
    TYPEWARP_UNROLL
    for (int axis = 0; axis < static_cast<int>(Strided::capacity); ++axis) {
      if (axis >= grid_depth) break;
      const std::uint32_t quotient = grid[axis].tiles.quotient(rest);
      step(tile, axis, rest - quotient * grid[axis].tiles.divisor);
      rest = quotient;
    }
    tile.whole = tile.whole && tile.packed >= first && tile.packed + reach < last;
    return tile;
  }

  /// Where cells number, number + stride, ... lie, in the order of one side. Without a tile: of one that no
  /// axis ends in.
  template <std::size_t n>
  TYPEWARP_HD void locate(const TileOrder& order, std::uint32_t number, std::uint32_t stride,
                          const Tile* tile, Place (&places)[n]) const {
    std::uint32_t rest[n], fastest[n];
    TYPEWARP_UNROLL
    for (std::size_t i = 0; i < n; ++i) {
      rest[i] = number + static_cast<std::uint32_t>(i) * stride;
      places[i] = {0, 0, 0, rest[i] < volume};
      fastest[i] = next(order.digits[0], rest[i]);
    }
    TYPEWARP_ROLL
    for (int d = 1; d < depth; ++d) {
      const Digit& digit = order.digits[d];
      const std::uint32_t end = tile != nullptr ? bound(*tile, digit.slot) : digit.extent.divisor;
      TYPEWARP_UNROLL
      for (std::size_t i = 0; i < n; ++i) add(places[i], digit, next(digit, rest[i]), end);
    }
    const Digit& digit = order.digits[0];
    const std::uint32_t end = tile != nullptr ? bound(*tile, digit.slot) : digit.extent.divisor;
    TYPEWARP_UNROLL
    for (std::size_t i = 0; i < n; ++i) {
      const auto begin = order.phase + static_cast<std::uint32_t>(places[i].offset);
      const std::uint32_t shifted = fastest[i] + (-begin & order.line_mask);
      add(places[i], digit, shifted < digit.extent.divisor ? shifted : shifted - digit.extent.divisor, end);
    }
  }

  /// Whether a cell of the tile is to be moved.
  TYPEWARP_HD bool holds(const Tile& tile, const TileOrder& order, std::uint32_t number) const {
    Place place[1];
    locate(order, number, 0, &tile, place);
    return place[0].inside && tile.packed + place[0].packed >= first && tile.packed + place[0].packed < last;
  }

 private:
  TYPEWARP_HD static std::uint32_t next(const Digit& digit, std::uint32_t& rest) {
    const std::uint32_t quotient = digit.extent.quotient(rest);
    const std::uint32_t value = rest - quotient * digit.extent.divisor;
    rest = quotient;
    return value;
  }

  TYPEWARP_HD static void add(Place& place, const Digit& digit, std::uint32_t value, std::uint32_t end) {
    place.offset += static_cast<std::int32_t>(value) * digit.offset;
    place.packed += value * digit.packed;
    place.cell += value * digit.cell;
    place.inside = place.inside && value < end;
  }

  TYPEWARP_HD void step(Tile& tile, int axis, std::uint32_t by) const {
    const std::uint32_t begin = by * grid[axis].extent;
    const std::uint32_t left = grid[axis].count - begin;
    tile.memory += begin * grid[axis].memory;
    tile.packed += begin * grid[axis].packed;
    tile.rest[axis] = left;
    tile.whole = tile.whole && left >= grid[axis].extent;
  }

  /// tile.rest[slot], whose index the compiler must know to keep the tile in registers.
  TYPEWARP_HD static std::uint32_t bound(const Tile& tile, int slot) {
    std::uint32_t result = ~std::uint32_t{0};
    TYPEWARP_UNROLL
    for (int axis = 0; axis < static_cast<int>(Strided::capacity); ++axis) {
      if (axis == slot) result = tile.rest[axis];
    }
    return result;
  }
};

/// The tiles for `move` of the words that are wholly inside its range, and the bytes at its ends. A policy
/// that folds needs a move that is foldable() entirely.
Tiles tiles(const Transposition& transposition, const TransposedMove& move, const TilePolicy& policy);

/// The part of the move's range that can be moved in cells of fold x fold words; empty if there is none.
ByteRange foldable(const Transposition& transposition, const TransposedMove& move, int fold);

}  // namespace typewarp::gpu
