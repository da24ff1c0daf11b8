// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/intrinsics.cuh"
#include "engine/device/kernels/launch.hpp"
#include "engine/device/kernels/move.cuh"
#include "engine/device/kernels/move.hpp"
#include "engine/device/kernels/pattern_move.hpp"
#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/enqueue.hpp"

#include <algorithm>
#include <cuda_pipeline_primitives.h>
#include <type_traits>

/// Both kernels go through the same stages: blocks bring tile after tile into shared memory, an *image* of
/// what lies in memory, as whole `wide` words; and every thread moves the same unit, or chunk, of every group
/// that it meets, so that it looks up only once where that one lies.
namespace typewarp::gpu {
namespace {

/// Threads of a block, at most: as many as a group may have units.
inline constexpr int most_threads = 1024;

/// The shared memory of a block: an image, or what is looked up before there is one.
__device__ std::byte* shared_bytes() { return dynamic_shared(); }

/// Starts to copy `bytes` bytes, a multiple of `wide`, from an aligned address; what is not in [lowest,
/// highest) is left out. Complete for the thread after its commit is waited for.
__device__ void load_image(std::byte* image, const std::byte* from, std::int32_t bytes,
                           const std::byte* lowest, const std::byte* highest) {
  for (std::int32_t at = static_cast<std::int32_t>(threadIdx.x) * wide; at < bytes;
       at += static_cast<std::int32_t>(blockDim.x) * wide) {
    const std::byte* const word = from + at;
    if (word >= lowest && word + wide <= highest) {
      __pipeline_memcpy_async(image + at, word, wide);
    } else if (word < highest && word + wide > lowest) {
      for (int i = 0; i < wide; ++i) {
        if (word + i >= lowest && word + i < highest) image[at + i] = word[i];
      }
    }
  }
}

__device__ std::int32_t misalignment(const std::byte* address) {
  return static_cast<std::int32_t>(reinterpret_cast<std::uintptr_t>(address) % wide);
}

/// Calls load(tile) and, once all threads' loads are complete, use(tile), for each tile of this block. What
/// hides the latency are the other blocks of the multiprocessor.
template <typename Load, typename Use>
__device__ void for_each_image(const Groups& groups, const Load& load, const Use& use) {
  for (std::uint32_t tile = blockIdx.x; tile < groups.tiles; tile += gridDim.x) {
    load(tile);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    use(tile);
    __syncthreads();
  }
}

/// Brings the segments of memory in [from, from + bytes) into the L2, as far as they lie in [lowest,
/// highest): a sector that is then written in part need not be filled when it leaves.
__device__ void prefetch(const std::byte* from, std::int64_t bytes, const std::byte* lowest,
                         const std::byte* highest) {
  constexpr int segment = 64;
  for (std::int64_t at = std::int64_t{threadIdx.x} * segment; at < bytes;
       at += std::int64_t{blockDim.x} * segment) {
    const std::byte* const address = from + at;
    if (address >= lowest && address < highest) prefetch_sector(address);
  }
}

/// Where the bytes of a thread's unit lie, from the lowest byte of the item that unit 0 begins in. Parameters
/// are read once a block: threads that each read their own entry would be served one after the other.
template <int unit_bytes>
__device__ void find_places(const PatternPack& move, std::int32_t slot, std::int32_t (&places)[unit_bytes]) {
  auto* const of_item = reinterpret_cast<std::uint16_t*>(shared_bytes());
  const std::int32_t size = move.pattern.size;
  for (auto i = static_cast<std::int32_t>(threadIdx.x); i < size;
       i += static_cast<std::int32_t>(blockDim.x)) {
    of_item[i] = move.pattern.places[i];
  }
  __syncthreads();
  const auto stride = static_cast<std::int32_t>(move.pattern.stride);
  const std::int32_t begin = move.first + slot * unit_bytes;
  std::int32_t item = begin / size;
  std::int32_t byte = begin - item * size;
#pragma unroll
  for (int j = 0; j < unit_bytes; ++j) {
    places[j] = item * stride + of_item[byte];
    if (++byte == size) {
      byte = 0;
      ++item;
    }
  }
  __syncthreads();
}

/// The bytes before unit 0 and after the last one: fewer than a unit each.
__device__ void pack_edges(const PatternPack& move, int unit) {
  if (blockIdx.x != 0 || static_cast<std::int32_t>(threadIdx.x) >= move.head + move.tail) return;
  const auto i = static_cast<std::int32_t>(threadIdx.x);
  const std::int64_t units = std::int64_t{move.units} * unit;
  const std::int64_t from_unit_0 = i < move.head ? i - move.before : units + i - move.head;
  std::int64_t byte = move.first + from_unit_0;
  std::int64_t item = byte / move.pattern.size;
  if (byte < item * move.pattern.size) --item;
  byte -= item * move.pattern.size;
  move.packed[from_unit_0] = move.user[item * move.pattern.stride + move.pattern.places[byte]];
}

template <int unit_bytes>
__global__ void __launch_bounds__(most_threads)
    pack_pattern(const __grid_constant__ PatternPack move, const __grid_constant__ DeviceCounter counter) {
  using Unit = std::conditional_t<unit_bytes == 8, std::uint64_t, std::uint32_t>;
  const Groups& groups = move.groups;
  const std::int32_t group = static_cast<std::int32_t>(threadIdx.x) / groups.slots;
  const std::int32_t slot = static_cast<std::int32_t>(threadIdx.x) - group * groups.slots;
  const auto stride = static_cast<std::int32_t>(groups.stride);
  std::int32_t places[unit_bytes];
  find_places(move, slot, places);
#pragma unroll
  for (std::int32_t& place : places) place += group * stride;
  const auto lowest_of = [&](std::uint32_t tile) {
    return move.user + std::int64_t{tile} * groups.of_tile * groups.stride + move.low_place;
  };
  for_each_image(
      groups,
      [&](std::uint32_t tile) {
        const std::byte* const from = lowest_of(tile);
        load_image(shared_bytes(), from - misalignment(from), groups.image, move.lowest, move.highest);
      },
      [&](std::uint32_t tile) {
        const std::byte* image = shared_bytes() + misalignment(lowest_of(tile)) - move.low_place;
        const std::uint32_t before = tile * static_cast<std::uint32_t>(groups.of_tile);
        std::uint32_t unit = (before + static_cast<std::uint32_t>(group)) * groups.slots + slot;
        if (group >= groups.at_a_time) return;
#pragma unroll 4
        for (std::int32_t done = 0; done < groups.of_tile; done += groups.at_a_time) {
          Unit value = 0;
#pragma unroll
          for (int j = 0; j < unit_bytes; ++j) {
            value |= static_cast<Unit>(image[places[j]]) << (8 * j);
          }
          if (unit < move.units) __stcs(reinterpret_cast<Unit*>(move.packed) + unit, value);
          image += groups.at_a_time * stride;
          unit += static_cast<std::uint32_t>(groups.at_a_time * groups.slots);
        }
      });
  pack_edges(move, unit_bytes);
  count_up(counter);
}

/// 8 bytes of shared memory from any place, of which 11 more may be read.
__device__ std::uint64_t load_shared(const std::byte* image, std::int32_t at) {
  const auto* const words = reinterpret_cast<const std::uint32_t*>(image + (at & ~3));
  const auto shift = static_cast<unsigned>(at & 3) * 8;
  const std::uint32_t middle = words[1];
  const std::uint32_t low = __funnelshift_r(words[0], middle, shift);
  const std::uint32_t high = __funnelshift_r(middle, words[2], shift);
  return std::uint64_t{high} << 32 | low;
}

__device__ void store_chunk(std::byte* to, std::uint32_t bytes, std::uint64_t value) {
  if (bytes == 8) *reinterpret_cast<std::uint64_t*>(to) = value;
  if (bytes == 4) *reinterpret_cast<std::uint32_t*>(to) = static_cast<std::uint32_t>(value);
  if (bytes == 2) *reinterpret_cast<std::uint16_t*>(to) = static_cast<std::uint16_t>(value);
  if (bytes == 1) *reinterpret_cast<std::uint8_t*>(to) = static_cast<std::uint8_t>(value);
}

__global__ void __launch_bounds__(most_threads)
    scatter_pattern(const __grid_constant__ PatternScatter move,
                    const __grid_constant__ DeviceCounter counter) {
  const Groups& groups = move.groups;
  const std::int32_t group = static_cast<std::int32_t>(threadIdx.x) / groups.slots;
  const std::int32_t slot = static_cast<std::int32_t>(threadIdx.x) - group * groups.slots;
  const Chunk chunk = move.chunks[slot];
  const std::int64_t step = groups.at_a_time * groups.stride;
  const auto source_stride = static_cast<std::int32_t>(move.source_stride);
  const auto low_place = static_cast<std::int32_t>(move.low_place);
  const auto lowest_of = [&](std::uint32_t tile) {
    return move.source + std::int64_t{tile} * groups.of_tile * source_stride + low_place;
  };
  for_each_image(
      groups,
      [&](std::uint32_t tile) {
        const std::byte* const from = lowest_of(tile);
        load_image(shared_bytes(), from - misalignment(from), groups.image, move.source_lowest,
                   move.source_highest);
        const std::int64_t stride = groups.of_tile * groups.stride;
        const std::byte* const to = move.user + tile * stride;
        prefetch(stride < 0 ? to + stride : to, stride < 0 ? -stride : stride, move.lowest, move.highest);
      },
      [&](std::uint32_t tile) {
        const std::byte* const image = shared_bytes();
        const std::uint32_t tile_begin = tile * static_cast<std::uint32_t>(groups.of_tile * groups.packed);
        const std::uint32_t tile_end =
            tile_begin + static_cast<std::uint32_t>(groups.of_tile * groups.packed);
        const bool whole = tile_begin >= move.begin && tile_end <= move.end;
        std::byte* to =
            move.user + (std::int64_t{tile} * groups.of_tile + group) * groups.stride + chunk.place;
        std::int32_t from = misalignment(lowest_of(tile)) - low_place + group * source_stride + chunk.source;
        if (group >= groups.at_a_time) return;
        if (whole) {
#pragma unroll 4
          for (std::int32_t done = 0; done < groups.of_tile; done += groups.at_a_time) {
            store_chunk(to, chunk.bytes, load_shared(image, from));
            to += step;
            from += groups.at_a_time * source_stride;
          }
          return;
        }
        std::uint32_t byte = tile_begin + static_cast<std::uint32_t>(group * groups.packed + chunk.packed);
        for (std::int32_t done = 0; done < groups.of_tile; done += groups.at_a_time) {
          if (byte >= move.begin && byte + chunk.bytes <= move.end) {
            store_chunk(to, chunk.bytes, load_shared(image, from));
          } else {
            for (std::uint32_t i = 0; i < chunk.bytes; ++i) {
              if (byte + i >= move.begin && byte + i < move.end)
                to[i] = image[from + static_cast<std::int32_t>(i)];
            }
          }
          to += step;
          from += groups.at_a_time * source_stride;
          byte += static_cast<std::uint32_t>(groups.at_a_time * groups.packed);
        }
      });
  count_up(counter);
}

constexpr PatternPolicy pattern_policy;

void start(const void* kernel, const Groups& groups, void* move, const LaunchContext& context) {
  const int at_a_time = context.occupancy == OccupancyLimit::link ? pattern_policy.paced_blocks
                                                                  : pattern_policy.blocks_per_multiprocessor;
  const Device& home = device(context.device);
  const int warp = home.warp();
  const std::int64_t most = std::int64_t{at_a_time} * home.multiprocessors();
  const int threads = (groups.slots * groups.at_a_time + warp - 1) / warp * warp;
  const std::int64_t blocks = std::clamp<std::int64_t>(groups.tiles, 1, most);
  const std::size_t shared = std::max(static_cast<std::size_t>(groups.image + wide), sizeof(Pattern::places));
  enqueue_counting(context, kernel, blocks, threads, move, shared);
}

const KernelLoader loader([](const Device&) {
  load_kernel(kernel_address(pack_pattern<pattern_policy.unit>));
  load_kernel(kernel_address(scatter_pattern));
});

}  // namespace

void launch_pattern(Direction direction, const LaunchContext& context, const Pattern& pattern,
                    std::byte* base, std::byte* packed, ByteRange range) {
  if (direction == Direction::pack) {
    PatternPack move =
        pattern_pack(pattern, pattern_policy, base, packed, range, device(context.device).multiprocessors());
    return start(kernel_address(pack_pattern<pattern_policy.unit>), move.groups, &move, context);
  }
  PatternScatter move =
      pattern_unpack(pattern, pattern_policy, base, packed, range, device(context.device).multiprocessors());
  start(kernel_address(scatter_pattern), move.groups, &move, context);
}

bool launch_pattern_copy(const LaunchContext& context, const Pattern& destination, std::byte* base,
                         const Pattern& source, const std::byte* source_base, ByteRange range) {
  std::optional<PatternScatter> move = pattern_copy(destination, base, source, source_base, pattern_policy,
                                                    range, device(context.device).multiprocessors());
  if (move) start(kernel_address(scatter_pattern), move->groups, &*move, context);
  return move.has_value();
}

bool launch_pattern(const Move& move) {
  if (!move.has_packed_side()) {
    return launch_pattern_copy(move.context, *move.destination.pattern(), move.destination.base(),
                               *move.source.pattern(), move.source.base(), move.range);
  }
  launch_pattern(move.direction(), move.context, *move.layout().pattern(), move.layout().base(),
                 move.packed().place(0), move.range);
  return true;
}

}  // namespace typewarp::gpu
