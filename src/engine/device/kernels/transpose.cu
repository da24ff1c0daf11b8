// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/move.cuh"
#include "engine/device/kernels/tiles.hpp"
#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/enqueue.hpp"

#include <algorithm>

namespace typewarp::gpu {
namespace {

/// Makes of pieces of one side those of the other: word i of piece j becomes word j of piece i.
template <int fold, typename Piece>
__device__ __forceinline__ void turn(Piece (&pieces)[fold]) {
  if constexpr (fold == 2 && sizeof(Piece) == 16) {
    const Piece low{pieces[0].x, pieces[0].y, pieces[1].x, pieces[1].y};
    pieces[1] = {pieces[0].z, pieces[0].w, pieces[1].z, pieces[1].w};
    pieces[0] = low;
  } else if constexpr (fold == 2 && sizeof(Piece) == 8) {
    const Piece low = (pieces[0] & 0xffffffff) | pieces[1] << 32;
    pieces[1] = pieces[0] >> 32 | (pieces[1] >> 32) << 32;
    pieces[0] = low;
  } else if constexpr (fold == 2 && sizeof(Piece) == 4) {
    const Piece low = __byte_perm(pieces[0], pieces[1], 0x5410);
    pieces[1] = __byte_perm(pieces[0], pieces[1], 0x7632);
    pieces[0] = low;
  } else if constexpr (fold == 4 && sizeof(Piece) == 4) {
    const Piece low01 = __byte_perm(pieces[0], pieces[1], 0x5140);
    const Piece low23 = __byte_perm(pieces[2], pieces[3], 0x5140);
    const Piece high01 = __byte_perm(pieces[0], pieces[1], 0x7362);
    const Piece high23 = __byte_perm(pieces[2], pieces[3], 0x7362);
    pieces[0] = __byte_perm(low01, low23, 0x5410);
    pieces[1] = __byte_perm(low01, low23, 0x7632);
    pieces[2] = __byte_perm(high01, high23, 0x5410);
    pieces[3] = __byte_perm(high01, high23, 0x7632);
  } else {
    static_assert(fold == 1);
  }
}

/// What one thread does in every tile, on one side: the same places, relative to the tile.
template <int cells>
struct ThreadCells {
  std::int32_t offset[cells];  // pieces
  std::uint32_t cell[cells];
  std::uint32_t all = 0;  // one bit for each cell that a whole tile has

  __device__ ThreadCells(const Tiles& tiles, const TileOrder& order) {
    constexpr int at_once = cells < 8 ? cells : 8;  // more would not fit the registers
    static_assert(cells % at_once == 0);
#pragma unroll
    for (int first = 0; first < cells; first += at_once) {
      Place places[at_once];
      tiles.locate(order, threadIdx.x + first * blockDim.x, blockDim.x, nullptr, places);
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        offset[first + i] = places[i].offset;
        cell[first + i] = places[i].cell;
        all |= static_cast<std::uint32_t>(places[i].inside) << (first + i);
      }
    }
  }

  /// One bit for each cell that is to be moved.
  __device__ std::uint32_t present(const Tiles& tiles, const TileOrder& order, const Tile& tile) const {
    if (tile.whole) return all;
    std::uint32_t bits = 0;
#pragma unroll 1
    for (int i = 0; i < cells; ++i) {
      bits |= static_cast<std::uint32_t>(tiles.holds(tile, order, threadIdx.x + i * blockDim.x)) << i;
    }
    return bits;
  }
};

/// One side of the move as a direction sees it.
template <bool memory>
struct TileSide {
  __device__ static const TileOrder& order(const Tiles& tiles) {
    return memory ? tiles.by_memory : tiles.by_packed;
  }
  __device__ static std::int64_t between_pieces(const Tiles& tiles) {
    return memory ? tiles.user_pieces : tiles.packed_pieces;
  }
  __device__ static std::byte* base(const Tiles& tiles, const Tile& tile, int piece) {
    return memory ? tiles.user + tile.memory : tiles.packed + std::int64_t{tile.packed} * piece;
  }
};

__device__ void move_edge(const Edge& edge, Direction direction) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= edge.bytes) return;
  if (direction == Direction::pack) {
    edge.packed[i] = edge.user[i];
  } else {
    edge.user[i] = edge.packed[i];
  }
}

/// Each block moves tiles a grid apart. It loads the next tile into registers before it stores the last one
/// from shared memory, so that loads are always under way.
template <typename Policy, Direction direction>
__global__ void __launch_bounds__(Policy::value.threads, Policy::value.blocks)
    transpose_tiles(const __grid_constant__ Tiles tiles, const __grid_constant__ DeviceCounter counter) {
  constexpr TilePolicy policy = Policy::value;
  constexpr int cells = policy.cells, fold = policy.fold, piece = policy.piece();
  using Piece = Word<log2_of<piece>>;
  using From = TileSide<direction == Direction::pack>;
  using To = TileSide<direction == Direction::unpack>;
  __shared__ Piece shared[fold][policy.room()];

  const ThreadCells<cells> from(tiles, From::order(tiles));
  const ThreadCells<cells> to(tiles, To::order(tiles));
  Piece loaded[cells][fold];
  std::uint32_t present = 0;

  const auto load = [&](const Tile& tile) {
    const std::byte* base = From::base(tiles, tile, piece);
    present = from.present(tiles, From::order(tiles), tile);
#pragma unroll
    for (int i = 0; i < cells; ++i) {
      if (!(present >> i & 1)) continue;
      const std::byte* place = base + std::int64_t{from.offset[i]} * piece;
#pragma unroll
      for (int j = 0; j < fold; ++j) {
        loaded[i][j] = *reinterpret_cast<const Piece*>(place + j * From::between_pieces(tiles));
      }
    }
  };
  const auto share = [&] {
#pragma unroll
    for (int i = 0; i < cells; ++i) {
      if (!(present >> i & 1)) continue;
      turn(loaded[i]);
#pragma unroll
      for (int j = 0; j < fold; ++j) shared[j][from.cell[i]] = loaded[i][j];
    }
  };
  const auto store = [&](const Tile& tile) {
    std::byte* base = To::base(tiles, tile, piece);
    const std::uint32_t wanted = to.present(tiles, To::order(tiles), tile);
#pragma unroll
    for (int i = 0; i < cells; ++i) {
      if (!(wanted >> i & 1)) continue;
      std::byte* place = base + std::int64_t{to.offset[i]} * piece;
#pragma unroll
      for (int j = 0; j < fold; ++j) {
        *reinterpret_cast<Piece*>(place + j * To::between_pieces(tiles)) = shared[j][to.cell[i]];
      }
    }
  };

  std::uint32_t index = blockIdx.x;
  if (index < tiles.count) {
    Tile tile = tiles.tile(index);
    load(tile);
    for (;;) {
      share();
      __syncthreads();
      index += gridDim.x;
      const bool more = index < tiles.count;
      const Tile next = more ? tiles.tile(index) : tile;
      if (more) load(next);
      store(tile);
      if (!more) break;
      tile = next;
      __syncthreads();
    }
  }
  if (blockIdx.x == 0) {
    move_edge(tiles.head, direction);
    move_edge(tiles.tail, direction);
  }
  count_up(counter);
}

/// Enqueues one kernel for a move that the policy suits.
template <typename Policy>
void launch_tiles(const Transposition& transposition, const TransposedMove& move,
                  const LaunchContext& context) {
  constexpr TilePolicy policy = Policy::value;
  static_assert(policy.threads >= policy.word && policy.cells <= 32 && policy.capacity() <= 4096);
  Tiles all = tiles(transposition, move, policy);
  const std::int64_t most = std::int64_t{policy.blocks} * device(context.device).multiprocessors();
  const std::int64_t rounds = std::max<std::int64_t>(1, (all.count + most - 1) / most);
  const std::int64_t blocks = std::max<std::int64_t>(1, (all.count + rounds - 1) / rounds);

  const auto kernel = move.direction == Direction::pack ? transpose_tiles<Policy, Direction::pack>
                                                        : transpose_tiles<Policy, Direction::unpack>;
  enqueue_counting(context, kernel_address(kernel), blocks, policy.threads, &all);
}

template <typename... Policies>
void load_tiles(const Device&) {
  (load_kernel(kernel_address(transpose_tiles<Policies, Direction::pack>)), ...);
  (load_kernel(kernel_address(transpose_tiles<Policies, Direction::unpack>)), ...);
}

const KernelLoader loader(load_tiles<TilesOf16, TilesOf8, TilesOf4, FoldedTilesOf4, TilesOf2, FoldedTilesOf2,
                                     TilesOf1, FoldedTilesOf1>);

/// From how many bytes on folded cells save more than two further launches for the ends cost.
constexpr std::int64_t worth_splitting = std::int64_t{16} << 20;

/// Moves what can be moved in folded cells so, and the words before and after it one by one.
template <typename Folded, typename Single>
void launch_folded(const Transposition& transposition, const TransposedMove& move,
                   const LaunchContext& context) {
  const ByteRange inner = foldable(transposition, move, Folded::value.fold);
  const std::int64_t bytes = inner.end - inner.begin;
  if (bytes == 0 || (inner != move.range && bytes < worth_splitting))
    return launch_tiles<Single>(transposition, move, context);
  const auto launch_part = [&](auto launch, ByteRange range) {
    TransposedMove part = move;
    part.range = range;
    if (range.begin < range.end) launch(transposition, part, context);
  };
  launch_part(launch_tiles<Folded>, inner);
  launch_part(launch_tiles<Single>, {move.range.begin, inner.begin});
  launch_part(launch_tiles<Single>, {inner.end, move.range.end});
}

}  // namespace

void launch_transposed(const Transposition& transposition, const TransposedMove& move,
                       const LaunchContext& context) {
  switch (transposition.word) {
    case 16:
      return launch_tiles<TilesOf16>(transposition, move, context);
    case 8:
      return launch_tiles<TilesOf8>(transposition, move, context);
    case 4:
      return launch_folded<FoldedTilesOf4, TilesOf4>(transposition, move, context);
    case 2:
      return launch_folded<FoldedTilesOf2, TilesOf2>(transposition, move, context);
    default:
      return launch_folded<FoldedTilesOf1, TilesOf1>(transposition, move, context);
  }
}

}  // namespace typewarp::gpu
