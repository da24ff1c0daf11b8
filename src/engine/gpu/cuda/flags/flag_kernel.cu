// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/cuda/flags/flag_kernel.hpp"
#include "engine/gpu/cuda/runtime/enqueue.hpp"
#include "engine/gpu/cuda/runtime/kernel_loader.hpp"

#include <cuda/atomic>

namespace typewarp::gpu {
namespace {

constexpr int threads = 64;
static_assert(FlagTable::room <= threads, "each flag has a thread");

using AtomicFlag = ::cuda::atomic_ref<Flag, ::cuda::thread_scope_system>;

/// The host, and other devices, raise what is awaited, in any case by the time limit.
__global__ void do_steps(const __grid_constant__ FlagTable table, std::uint64_t number) {
  const int flag = static_cast<int>(threadIdx.x);
  const int awaited = table.raised + table.awaited;
  const bool closed = table.gate != nullptr && *static_cast<const volatile Flag*>(table.gate) != 0;
  if (flag < table.raised && !closed)
    AtomicFlag(*table.flags[flag]).store(1, ::cuda::std::memory_order_release);
  if (flag >= table.raised && flag < awaited) {
    const AtomicFlag mine(*table.flags[flag]);
    while (mine.load(::cuda::std::memory_order_acquire) == 0) {}
    mine.store(0, ::cuda::std::memory_order_relaxed);
  }
  __threadfence_system();
  __syncthreads();
  if (flag != 0) return;
  // By one thread: who sees the count sees these lowered.
  for (int i = awaited; i < awaited + table.lowered; ++i) {
    AtomicFlag(*table.flags[i]).store(0, ::cuda::std::memory_order_release);
  }
  if (table.count == nullptr || number == FlagWork::uncounted) return;
  ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system>(*table.count)
      .store(number, ::cuda::std::memory_order_release);
}

const KernelLoader loader([](const Device&) { load_kernel(reinterpret_cast<const void*>(do_steps)); });

}  // namespace

void launch_flags(const FlagTable& table, std::uint64_t number, const LaunchContext& context) {
  void* arguments[] = {const_cast<FlagTable*>(&table), &number};
  enqueue_kernel(context, reinterpret_cast<const void*>(do_steps), 1, threads, arguments);
}

}  // namespace typewarp::gpu
