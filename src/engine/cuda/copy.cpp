// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/cuda.hpp"
#include "engine/cuda/device_encoding.hpp"
#include "engine/cuda/launch.hpp"
#include "plan/state.hpp"

#include <algorithm>
#include <limits>

namespace typewarp::cuda {
namespace {

/// One side of a copy, its shape known.
struct Operand {
  const plan::State* state = nullptr;  ///< null for packed bytes
  /// Where the first byte of the layout lies; of a contiguous side: where byte 0 of the stream lies.
  std::byte* base = nullptr;
  std::int64_t size = 0;  ///< bytes of the whole stream
  std::optional<Strided> shape;

  bool contiguous() const { return shape && shape->contiguous(); }
  ContiguousView contiguous_view() const { return {base}; }
  StridedSide strided_side() const { return {base, *shape}; }
};

constexpr std::int64_t beyond_any_range = std::numeric_limits<std::int64_t>::max();

/// `offset` bytes from `address`, which may be null (absolute addresses) or outside of any object.
std::byte* displaced(void* address, std::int64_t offset) {
  const auto place = reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(offset);
  return reinterpret_cast<std::byte*>(place);
}

/// The address by which `device` reaches `base`, which differs for host memory registered on some systems.
std::byte* on_device(std::byte* base, const Device& device) {
  if (device.host_pointers_usable()) return base;
  cudaPointerAttributes attributes{};
  TYPEWARP_CUDA(cudaPointerGetAttributes(&attributes, base));
  return attributes.type == cudaMemoryTypeHost ? static_cast<std::byte*>(attributes.devicePointer) : base;
}

Operand operand(const Side& side, ByteRange range, const Device& device) {
  Operand result;
  if (side.plan == nullptr) {
    result.base = displaced(on_device(static_cast<std::byte*>(side.address), device), -range.begin);
    result.size = range.end;
    result.shape = Strided{{Level{range.end, 1}}, 1};
    return result;
  }
  const plan::State& state = side.plan->state();
  result.state = &state;
  result.base = on_device(displaced(side.address, state.layout.offset), device);
  if (__builtin_mul_overflow(side.count, state.size, &result.size)) result.size = beyond_any_range;
  result.shape = strided(state.layout, side.count, state.extent);
  return result;
}

/// Bits whose lowest set one is the widest word that this side allows.
std::int64_t alignment(const Operand& side) {
  const auto bits = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(side.base));
  if (side.contiguous()) return bits;
  if (side.shape) return bits | side.shape->grain();
  const bool repeated = side.size > side.state->size;
  return bits | side.state->encoding.grain | (repeated ? side.state->extent : 0);
}

int word_size(const Operand& destination, const Operand& source) {
  constexpr std::int64_t widest = 16;
  const std::int64_t bits = widest | alignment(destination) | alignment(source);
  return static_cast<int>(bits & -bits);
}

void copy_contiguous(const Operand& destination, const Operand& source, ByteRange range, Stream stream) {
  TYPEWARP_CUDA(cudaMemcpyAsync(displaced(destination.base, range.begin), displaced(source.base, range.begin),
                                static_cast<std::size_t>(range.end - range.begin), cudaMemcpyDefault,
                                stream));
}

}  // namespace

void copy(const Side& destination_side, const Side& source_side, ByteRange range, int device_id,
          Stream stream) {
  if (range.begin == range.end) return;
  Device& home = device(device_id);
  home.prepare();
  const DeviceGuard guard(device_id);
  const Operand destination = operand(destination_side, range, home);
  const Operand source = operand(source_side, range, home);
  if (destination.contiguous() && source.contiguous()) {
    return copy_contiguous(destination, source, range, stream);
  }
  const Move move{range, std::max(destination.size, source.size), word_size(destination, source),
                  home.multiprocessors(), stream};
  const auto generic = [&](const Operand& side) { return generic_view(*side.state, side.base, device_id); };
  if (destination.contiguous()) {
    return source.shape ? launch_pack(move, destination.contiguous_view(), source.strided_side())
                        : launch_pack(move, destination.contiguous_view(), generic(source));
  }
  if (source.contiguous()) {
    return destination.shape ? launch_unpack(move, destination.strided_side(), source.contiguous_view())
                             : launch_unpack(move, generic(destination), source.contiguous_view());
  }
  if (destination.shape && source.shape) {
    return launch_copy(move, destination.strided_side(), source.strided_side());
  }
  launch_copy(move, generic(destination), generic(source));
}

}  // namespace typewarp::cuda
