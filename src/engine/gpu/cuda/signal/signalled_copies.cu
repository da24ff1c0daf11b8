// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/cuda/batch/copy_tile.cuh"
#include "engine/gpu/cuda/runtime/enqueue.hpp"
#include "engine/gpu/cuda/runtime/kernel_loader.hpp"
#include "engine/gpu/cuda/signal/flag_table.hpp"

#include <cuda/atomic>

namespace typewarp::gpu {
namespace {

static_assert(FlagTable::room <= launch_policy.threads, "each flag has a thread");

using AtomicFlag = ::cuda::atomic_ref<Flag, ::cuda::thread_scope_system>;

__device__ bool closed(const FlagTable& table) {
  return table.gate != nullptr && *static_cast<const volatile Flag*>(table.gate) != 0;
}

__device__ void raise(const FlagTable& table, const FlagGroup& group) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= group.raised || closed(table)) return;
  AtomicFlag(*table.flags[group.first + i]).store(1, ::cuda::std::memory_order_release);
}

/// The flag that this thread waits for; null if it has none.
__device__ Flag* awaited(const FlagTable& table, const FlagGroup& group) {
  const int i = static_cast<int>(threadIdx.x) - group.raised;
  return i >= 0 && i < group.awaited ? table.flags[group.first + group.raised + i] : nullptr;
}

/// The host, and other devices, raise what is awaited, in any case by the time limit.
__device__ void await(Flag* flag) {
  if (flag == nullptr) return;
  while (AtomicFlag(*flag).load(::cuda::std::memory_order_acquire) == 0) {}
}

__device__ void lower(Flag* flag) {
  if (flag != nullptr) AtomicFlag(*flag).store(0, ::cuda::std::memory_order_relaxed);
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

/// Who sees the count sees what has come.
__device__ void tell_end(const FlagTable& table, std::uint64_t number) {
  __threadfence_system();
  for (int i = table.used - table.lowered; i < table.used; ++i) lower(table.flags[i]);
  if (table.count == nullptr || number == SignalledCopies::uncounted) return;
  ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system>(*table.count)
      .store(number, ::cuda::std::memory_order_relaxed);
}

/// Every block moves a tile of one copy, which it looks up while it waits.
template <bool regular>
__global__ void __launch_bounds__(launch_policy.threads)
    copy_signalled(const __grid_constant__ FlagTable flags, std::uint64_t number, const LongCopies* copies,
                   std::uint32_t* ended) {
  __shared__ CopyTile<regular> tile;
  if (blockIdx.x == 0) raise(flags, flags.before);
  CopyEntry entry{};
  if (copies != nullptr) entry = tile.load(*copies);
  await(awaited(flags, flags.before));
  // As one: the gate may be raised meanwhile. Who was let go by that finds it raised.
  const bool shut = __syncthreads_or(closed(flags) ? 1 : 0) != 0;
  if (copies != nullptr && !shut) tile.move(entry);
  if (!last(ended)) return;
  lower(awaited(flags, flags.before));
  __syncthreads();
  raise(flags, flags.after);
  Flag* const arrival = awaited(flags, flags.after);
  await(arrival);
  lower(arrival);
  __syncthreads();
  if (threadIdx.x == 0) tell_end(flags, number);
}

const void* kernel(bool regular) {
  return regular ? reinterpret_cast<const void*>(copy_signalled<true>)
                 : reinterpret_cast<const void*>(copy_signalled<false>);
}

const KernelLoader loader([](const Device&) {
  for (const bool regular : {false, true}) load_kernel(kernel(regular));
});

}  // namespace

void launch_signalled(const FlagTable& flags, std::uint64_t number, const CopiesInDevice& copies,
                      const LaunchContext& context) {
  const LongCopies* table = copies.table;
  std::uint32_t* ended = copies.ended;
  void* arguments[] = {const_cast<FlagTable*>(&flags), &number, static_cast<void*>(&table),
                       static_cast<void*>(&ended)};
  enqueue_kernel(context, kernel(copies.regular), copies.tiles, launch_policy.threads, arguments);
}

}  // namespace typewarp::gpu
