// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/batch/copy_tile.cuh"
#include "engine/device/kernels/intrinsics.cuh"
#include "engine/runtime/enqueue.hpp"
#include "engine/device/signal/flag_table.hpp"
#include "engine/device/signal/patience.cuh"

#include <cuda/atomic>

namespace typewarp::gpu {
namespace {

static_assert(FlagTable::room <= launch_policy.threads, "each flag has a thread");

using AtomicFlag = ::cuda::atomic_ref<Flag, ::cuda::thread_scope_system>;

__device__ bool shut(const FlagTable& table) {
  return table.gate != nullptr && *static_cast<const volatile Flag*>(table.gate) == closed;
}

__device__ void store(Flag* flag, Flag value) {
  AtomicFlag(*flag).store(value, ::cuda::std::memory_order_relaxed);
}

/// Behind it, what else the threads store is seen by nobody without all that came before.
__device__ void raise(const FlagTable& table, const FlagGroup& group) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= group.raised) return;
  ::cuda::atomic_thread_fence(::cuda::std::memory_order_release, ::cuda::thread_scope_system);
  store(table.flags[group.first + i], raised);
}

/// The flag that this thread waits for; null if it has none.
__device__ Flag* awaited(const FlagTable& table, const FlagGroup& group) {
  const int i = static_cast<int>(threadIdx.x) - group.raised;
  return i >= 0 && i < group.awaited ? table.flags[group.first + group.raised + i] : nullptr;
}

/// Waits for the flag and returns its new value. The host and other devices raise the flag or close it, at
/// the latest when the time limit is over. All threads of the block call this.
__device__ Flag await(const Flag* flag, Flag* waiting) {
  bool told = false;
  Flag seen = raised;
  if (flag != nullptr) {
    const AtomicFlag word(*const_cast<Flag*>(flag));
    const std::int64_t begun = clock64();
    while ((seen = word.load(::cuda::std::memory_order_acquire)) == lowered) {
      if (told || waiting == nullptr || clock64() - begun < patience) continue;
      store(waiting, raised);
      told = true;
    }
  }
  // As one: others of the block may wait longer.
  if (__syncthreads_or(told ? 1 : 0) != 0 && threadIdx.x == 0) store(waiting, lowered);
  return seen;
}

/// Not if it is closed.
__device__ void lower(Flag* flag, Flag seen) {
  if (flag != nullptr && seen == raised) store(flag, lowered);
}

/// Whether anything is left to do behind the move.
__device__ bool signals(const FlagTable& table) {
  return table.before.awaited + table.after.raised + table.after.awaited > 0 || table.count != nullptr;
}

/// Whether this block is the last one to come here, which then sees what all others have stored. All threads
/// of all blocks call it.
__device__ bool last(std::uint32_t* ended) {
  if (gridDim.x == 1) {
    __syncthreads();
    return true;
  }
  int here = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence_system();  // other devices see what this block has stored before they see a flag
    const ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device> blocks(*ended);
    here = blocks.fetch_add(1, ::cuda::std::memory_order_acq_rel) == gridDim.x - 1 ? 1 : 0;
    if (here != 0) blocks.store(0, ::cuda::std::memory_order_relaxed);  // for the next launch
  }
  return __syncthreads_or(here) != 0;
}

/// Whoever sees the count also sees what this launch has moved.
__device__ void tell_end(const FlagTable& table, std::uint64_t number) {
  if (table.count == nullptr || number == SignalledCopies::uncounted) return;
  ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system>(*table.count)
      .store(number,
             table.after.raised > 0 ? ::cuda::std::memory_order_relaxed : ::cuda::std::memory_order_release);
}

/// Moves every gridDim.x-th tile of a table, from the block's own on. All threads of the block call all of
/// it.
template <bool regular, bool in_words>
class TilesOfBlock {
 public:
  __device__ TilesOfBlock(CopyTile<regular>& sides, const LongCopies* copies, const AddressOffsets& moves)
      : sides_(sides), copies_(copies), moves_(moves), tiles_(copies == nullptr ? 0 : copies->tiles) {
    if (tiles_ > 0) look_up(blockIdx.x);
  }

  /// The threads have met since this was made.
  __device__ void move() {
    for (std::uint32_t tile = blockIdx.x; tile < tiles_; tile += gridDim.x) {
      if (tile >= end_) {
        __syncthreads();
        look_up(tile);
        __syncthreads();
      }
      if constexpr (in_words) {
        sides_.move(entry_, tile);
      } else {
        sides_.move_pieces(entry_, tile,
                           __ffsll(static_cast<long long>(moves_.sources | moves_.destinations)) - 1);
      }
    }
  }

 private:
  __device__ void look_up(std::uint32_t tile) {
    const int found = copies_->find(tile);
    entry_ = copies_->entry(found);
    end_ = found + 1 < copies_->entries ? copies_->entry(found + 1).first_tile : tiles_;
    sides_.load(*copies_, entry_, moves_.sources, moves_.destinations);
  }

  CopyTile<regular>& sides_;
  const LongCopies* copies_;
  const AddressOffsets& moves_;
  CopyEntry entry_{};
  std::uint32_t tiles_;
  std::uint32_t end_ = 0;  ///< of the entry's tiles
};

/// Blocks take tiles of the table in turns. They look up what never changes before the stream has reached
/// them. `in_words`: sides are moved by multiples of the widest word.
template <bool regular, bool in_words>
__global__ void __launch_bounds__(launch_policy.threads)
    copy_signalled(const __grid_constant__ FlagTable flags, std::uint64_t number, const LongCopies* copies,
                   const __grid_constant__ AddressOffsets moves, std::uint32_t* ended) {
  __shared__ CopyTile<regular> sides;
  TilesOfBlock<regular, in_words> tiles(sides, copies, moves);
  await_stream();
  bool stops = shut(flags);
  if (blockIdx.x == 0 && !stops) raise(flags, flags.before);
  Flag* const credit = awaited(flags, flags.before);
  const Flag given = await(credit, blockIdx.x == 0 ? flags.waiting : nullptr);
  stops = __syncthreads_or(stops || given == closed ? 1 : 0) != 0;
  if (!stops) tiles.move();
  if (!signals(flags) || !last(ended)) return;
  lower(credit, given);
  __syncthreads();
  // Others may have found the gate closed later than this block.
  if (!stops && (gridDim.x == 1 || !shut(flags))) raise(flags, flags.after);
  Flag* const arrival = awaited(flags, flags.after);
  const Flag come = await(arrival, flags.waiting);
  let_next_begin();
  lower(arrival, come);
  if (threadIdx.x == 0) tell_end(flags, number);
}

template <bool in_words>
const void* kernel_of(bool regular) {
  return regular ? kernel_address(copy_signalled<true, in_words>)
                 : kernel_address(copy_signalled<false, in_words>);
}

const void* kernel(bool regular, bool in_words) {
  return in_words ? kernel_of<true>(regular) : kernel_of<false>(regular);
}

const KernelLoader loader([](const Device&) {
  for (const bool regular : {false, true}) {
    for (const bool in_words : {false, true}) load_kernel(kernel(regular, in_words));
  }
});

}  // namespace

void launch_signalled(const FlagTable& flags, std::uint64_t number, const CopiesInDevice& copies,
                      const AddressOffsets& moves, const LaunchContext& context) {
  const LongCopies* table = copies.table;
  std::uint32_t* ended = copies.ended;
  void* arguments[] = {const_cast<FlagTable*>(&flags), &number, static_cast<void*>(&table),
                       const_cast<AddressOffsets*>(&moves), static_cast<void*>(&ended)};
  const bool in_words = (moves.sources | moves.destinations) % wide == 0;
  enqueue_overlapping(context, kernel(copies.regular, in_words), copies.blocks, launch_policy.threads,
                      arguments);
}

}  // namespace typewarp::gpu
