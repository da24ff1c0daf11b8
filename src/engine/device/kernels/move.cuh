// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/enqueue.hpp"
#include "engine/device/kernels/launch.hpp"

#include <cuda/atomic>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <tuple>

/// What the kernels of all directions share.
namespace typewarp::gpu {

/// What one access moves, by the binary logarithm of its bytes.
using WordTypes = std::tuple<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, uint4>;
inline constexpr int words = std::tuple_size_v<WordTypes>;

template <int word_log2>
using Word = std::tuple_element_t<word_log2, WordTypes>;

/// The binary logarithm of `bytes`, a power of two.
template <int bytes>
inline constexpr int log2_of = std::countr_zero(static_cast<unsigned>(bytes));

/// Counts one up, after all that the grid has moved: the last block to come here does. All threads of all
/// blocks call it once.
__device__ inline void count_up(const DeviceCounter& counter) {
  if (counter.reached == nullptr) return;
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (gridDim.x > 1) {
    const ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device> ended(*counter.ended());
    if (ended.fetch_add(1, ::cuda::std::memory_order_acq_rel) != gridDim.x - 1) return;
    ended.store(0, ::cuda::std::memory_order_relaxed);  // for the next kernel, which this one precedes
  }
  const std::uint64_t next = *counter.counter + 1;
  *counter.counter = next;
  ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system>(*counter.reached)
      .store(next, ::cuda::std::memory_order_release);
}

/// What is left of a move after its units: the bytes before and after them, one a thread of the first block,
/// and the count.
template <typename Copy>
__device__ void finish(const Span& span, const Copy& copy) {
  if (blockIdx.x != 0) return count_up(span.counter);
  const std::uint32_t heads = span.head_end - span.head_begin;
  const std::uint32_t tails = span.tail_end - span.tail_begin;
  for (std::uint32_t i = threadIdx.x; i < heads + tails; i += blockDim.x) {
    copy(i < heads ? span.head_begin + i : span.tail_begin + (i - heads));
  }
  count_up(span.counter);
}

/// Where byte `byte` lies, counted in the packed stream from word 0 of the view.
template <int word_log2, Lookup lookup>
__device__ std::byte* byte_of(const View& view, std::uint32_t byte) {
  return view.at<lookup>(byte >> word_log2, word_log2) + (byte & ((1u << word_log2) - 1));
}

/// The same between a layout and packed bytes, both of which begin at the span's origin.
template <int word_log2, Lookup lookup>
__device__ void finish_pack(std::byte* packed, const View& source, const Span& span) {
  finish(span, [&](std::uint32_t byte) { packed[byte] = *byte_of<word_log2, lookup>(source, byte); });
}

template <int word_log2, Lookup lookup>
__device__ void finish_unpack(const View& destination, const std::byte* packed, const Span& span) {
  finish(span, [&](std::uint32_t byte) { *byte_of<word_log2, lookup>(destination, byte) = packed[byte]; });
}

/// This thread's first unit in its block's tile of `depth` units a thread. The others follow a block's width
/// apart, so that neighbouring threads take neighbouring units.
template <int depth>
__device__ std::uint32_t first_unit() {
  return blockIdx.x * (depth * launch_policy.threads) + threadIdx.x;
}

/// Moves this thread's words, `first` and others a block's width apart, of `words` words that lie at from(k)
/// and to(k): loads all of them before it stores any.
template <int word_log2, int depth = words_in_flight(word_log2), int threads = launch_policy.threads,
          typename From, typename To>
__device__ void move_words(std::uint32_t first, std::uint32_t words, const From& from, const To& to) {
  using W = Word<word_log2>;
  W values[depth];
#pragma unroll
  for (int j = 0; j < depth; ++j) {
    const std::uint32_t k = first + j * threads;
    if (k < words) values[j] = *reinterpret_cast<const W*>(from(k));
  }
#pragma unroll
  for (int j = 0; j < depth; ++j) {
    const std::uint32_t k = first + j * threads;
    if (k < words) *reinterpret_cast<W*>(to(k)) = values[j];
  }
}

/// Calls move.operator()<word_log2>().
template <typename Move>
__device__ void with_word(int word_log2, const Move& move) {
  switch (word_log2) {
    case 4:
      return move.template operator()<4>();
    case 3:
      return move.template operator()<3>();
    case 2:
      return move.template operator()<2>();
    case 1:
      return move.template operator()<1>();
    default:
      return move.template operator()<0>();
  }
}

/// Enqueues a kernel whose threads move `depth` units at a time. `span` is one of its arguments.
template <typename Kernel>
void enqueue(const Launch& launch, Kernel kernel, Span& span, int depth, void** arguments) {
  const std::int64_t tile = std::int64_t{depth} * launch_policy.threads;
  const std::int64_t blocks = std::max<std::int64_t>((span.units + tile - 1) / tile, 1);
  if (launch.reserved == 0) span.counter = counter_for(launch.context, blocks);
  enqueue_kernel(launch.context, kernel_address(kernel), blocks, launch_policy.threads, arguments,
                 launch.reserved);
}

template <typename Table>
void load_table(const Table& table, int shared = 0) {
  for (const auto& row : table) {
    for (const auto kernel : row) load_kernel(kernel_address(kernel), shared);
  }
}

}  // namespace typewarp::gpu
