// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hand/hand.cuh"

#include <cstring>

namespace typewarp::bench {
namespace {

using Word = std::uint64_t;

/// The value of a member that stands at any byte of packed data; `packed` goes on to the next.
template <typename Member>
__device__ Member taken(const unsigned char*& packed) {
  Member value;
  memcpy(&value, packed, sizeof value);
  packed += sizeof value;
  return value;
}
template <typename Member>
__device__ void put(unsigned char*& packed, Member value) {
  memcpy(packed, &value, sizeof value);
  packed += sizeof value;
}

struct Particle {
  double position;
  int kind, owner;
  char flag;

  static constexpr int packed_bytes = 17;

  __device__ void pack(unsigned char* packed) const {
    put(packed, position);
    put(packed, kind);
    put(packed, owner);
    put(packed, flag);
  }
  __device__ void unpack(const unsigned char* packed) {
    position = taken<double>(packed);
    kind = taken<int>(packed);
    owner = taken<int>(packed);
    flag = taken<char>(packed);
  }
  /// Stores word `i` of a particle but not its holes.
  __device__ static void store(int i, Word value, Word* to) {
    if (i < 2) {
      *to = value;
    } else {
      *reinterpret_cast<unsigned char*>(to) = static_cast<unsigned char>(value);
    }
  }
};

struct Mixed {
  char flag;
  double value;
  int kind;
  short level;

  static constexpr int packed_bytes = 15;

  __device__ void pack(unsigned char* packed) const {
    put(packed, flag);
    put(packed, value);
    put(packed, kind);
    put(packed, level);
  }
  __device__ void unpack(const unsigned char* packed) {
    flag = taken<char>(packed);
    value = taken<double>(packed);
    kind = taken<int>(packed);
    level = taken<short>(packed);
  }
  __device__ static void store(int i, Word word, Word* to) {
    if (i == 0) {
      *reinterpret_cast<unsigned char*>(to) = static_cast<unsigned char>(word);
    } else if (i == 1) {
      *to = word;
    } else {
      *reinterpret_cast<std::uint32_t*>(to) = static_cast<std::uint32_t>(word);
      reinterpret_cast<std::uint16_t*>(to)[2] = static_cast<std::uint16_t>(word >> 32U);
    }
  }
};

/// Copies `bytes` of packed data by all threads of a block, in whole words up to the last.
__device__ void copy_packed(const unsigned char* from, unsigned char* to, int bytes) {
  const int units = bytes / static_cast<int>(sizeof(uint4));
  for (int i = static_cast<int>(threadIdx.x); i < units; i += hand_threads) {
    reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(from)[i];
  }
  for (int i = units * static_cast<int>(sizeof(uint4)) + static_cast<int>(threadIdx.x); i < bytes;
       i += hand_threads) {
    to[i] = from[i];
  }
}

/// The items of a thread block, and both of their forms in shared memory.
template <typename Item>
struct Block {
  static constexpr int item_words = sizeof(Item) / sizeof(Word);
  static constexpr int packed_bytes = hand_threads * Item::packed_bytes;
  static_assert(packed_bytes % sizeof(uint4) == 0, "the packed bytes of every block begin at a whole word");

  struct Shared {
    Item items[hand_threads];
    alignas(uint4) unsigned char packed[packed_bytes];
  };

  std::int64_t first;
  int count;

  __device__ explicit Block(std::int64_t items)
      : first(std::int64_t{blockIdx.x} * hand_threads),
        count(static_cast<int>(min(items - first, std::int64_t{hand_threads}))) {}
};

template <typename Item>
__global__ void __launch_bounds__(hand_threads)
    pack_items_kernel(const Item* items, unsigned char* packed, std::int64_t all_items) {
  using Items = Block<Item>;
  __shared__ typename Items::Shared shared;
  const Items block(all_items);
  const auto* const from = reinterpret_cast<const Word*>(items + block.first);
  const int words = block.count * Items::item_words;
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < words; i += hand_threads) reinterpret_cast<Word*>(shared.items)[i] = from[i];
  __syncthreads();
  if (thread < block.count) shared.items[thread].pack(shared.packed + thread * Item::packed_bytes);
  __syncthreads();
  copy_packed(shared.packed, packed + block.first * Item::packed_bytes, block.count * Item::packed_bytes);
}

template <typename Item>
__global__ void __launch_bounds__(hand_threads)
    unpack_items_kernel(Item* items, const unsigned char* packed, std::int64_t all_items) {
  using Items = Block<Item>;
  __shared__ typename Items::Shared shared;
  const Items block(all_items);
  copy_packed(packed + block.first * Item::packed_bytes, shared.packed, block.count * Item::packed_bytes);
  __syncthreads();
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < block.count) shared.items[thread].unpack(shared.packed + thread * Item::packed_bytes);
  __syncthreads();
  auto* const to = reinterpret_cast<Word*>(items + block.first);
  const int words = block.count * Items::item_words;
  for (int i = thread; i < words; i += hand_threads) {
    Item::store(i % Items::item_words, reinterpret_cast<const Word*>(shared.items)[i], to + i);
  }
}

template <typename Item>
__global__ void pack_naive_kernel(const Item* items, unsigned char* packed, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) items[i].pack(packed + i * Item::packed_bytes);
}

template <typename Item>
__global__ void unpack_naive_kernel(Item* items, const unsigned char* packed, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) items[i].unpack(packed + i * Item::packed_bytes);
}

template <typename Item>
HandCoded moving(std::int64_t count, void (*pack)(const Item*, unsigned char*, std::int64_t),
                 void (*unpack)(Item*, const unsigned char*, std::int64_t)) {
  return [=](Direction direction, std::byte* buffer, std::byte* packed, cudaStream_t stream) {
    auto* const items = reinterpret_cast<Item*>(buffer);
    auto* const bytes = reinterpret_cast<unsigned char*>(packed);
    if (direction == Direction::pack) {
      pack<<<hand_blocks(count), hand_threads, 0, stream>>>(items, bytes, count);
    } else {
      unpack<<<hand_blocks(count), hand_threads, 0, stream>>>(items, bytes, count);
    }
  };
}

template <typename Item>
HandCoded through_shared_memory(std::int64_t count) {
  return moving<Item>(count, pack_items_kernel<Item>, unpack_items_kernel<Item>);
}
template <typename Item>
HandCoded naive(std::int64_t count) {
  return moving<Item>(count, pack_naive_kernel<Item>, unpack_naive_kernel<Item>);
}

}  // namespace

HandCoded hand_particles(std::int64_t count) { return through_shared_memory<Particle>(count); }
HandCoded hand_mixed(std::int64_t count) { return through_shared_memory<Mixed>(count); }
HandCoded hand_particles_naive(std::int64_t count) { return naive<Particle>(count); }
HandCoded hand_mixed_naive(std::int64_t count) { return naive<Mixed>(count); }

}  // namespace typewarp::bench
