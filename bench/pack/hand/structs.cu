// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hand/hand.cuh"

#include <cstring>

namespace typewarp::bench {
namespace {

struct Particle {
  double position;
  int kind, owner;
  char flag;
};

struct Mixed {
  char flag;
  double value;
  int kind;
  short level;
};

constexpr std::int64_t packed_particle = 17;
constexpr std::int64_t packed_mixed = 15;

/// Packed members stand at any byte.
template <bool packing, typename Member>
__device__ void move_member(Member& in_buffer, std::byte*& packed) {
  auto* const bytes = reinterpret_cast<unsigned char*>(packed);
  packed += sizeof(Member);
  if constexpr (packing) {
    const Member value = in_buffer;
    memcpy(bytes, &value, sizeof value);
  } else {
    Member value;
    memcpy(&value, bytes, sizeof value);
    in_buffer = value;
  }
}

template <bool packing>
__global__ void particles_kernel(Particle* buffer, std::byte* packed, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  packed += i * packed_particle;
  move_member<packing>(buffer[i].position, packed);
  move_member<packing>(buffer[i].kind, packed);
  move_member<packing>(buffer[i].owner, packed);
  move_member<packing>(buffer[i].flag, packed);
}

template <bool packing>
__global__ void mixed_kernel(Mixed* buffer, std::byte* packed, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  packed += i * packed_mixed;
  move_member<packing>(buffer[i].flag, packed);
  move_member<packing>(buffer[i].value, packed);
  move_member<packing>(buffer[i].kind, packed);
  move_member<packing>(buffer[i].level, packed);
}

}  // namespace

HandCoded hand_particles(std::int64_t count) {
  return [=](Direction direction, std::byte* buffer, std::byte* packed, cudaStream_t stream) {
    const auto kernel = direction == Direction::pack ? particles_kernel<true> : particles_kernel<false>;
    kernel<<<hand_blocks(count), hand_threads, 0, stream>>>(reinterpret_cast<Particle*>(buffer), packed,
                                                            count);
  };
}

HandCoded hand_mixed(std::int64_t count) {
  return [=](Direction direction, std::byte* buffer, std::byte* packed, cudaStream_t stream) {
    const auto kernel = direction == Direction::pack ? mixed_kernel<true> : mixed_kernel<false>;
    kernel<<<hand_blocks(count), hand_threads, 0, stream>>>(reinterpret_cast<Mixed*>(buffer), packed, count);
  };
}

}  // namespace typewarp::bench
