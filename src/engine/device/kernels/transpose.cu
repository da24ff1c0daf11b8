// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/transpose.cuh"
#include "engine/runtime/kernel_loader.hpp"

namespace typewarp::gpu {
namespace {

template <typename... Policies>
void load_tiles(const Device&) {
  (load_kernel(reinterpret_cast<const void*>(transpose_tiles<Policies, Direction::pack>)), ...);
  (load_kernel(reinterpret_cast<const void*>(transpose_tiles<Policies, Direction::unpack>)), ...);
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
