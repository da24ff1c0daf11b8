// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/long_runs.hpp"

#include "engine/device/kernels/move.hpp"
#include "engine/device/kernels/pieces.cuh"

namespace typewarp::gpu {
namespace {

/// `wide` bytes at any address.
__device__ Wide load_wide(const std::byte* address, const std::byte* lowest, const std::byte* highest) {
  const auto misalignment = static_cast<int>(reinterpret_cast<std::uintptr_t>(address) % wide);
  const std::byte* const aligned = address - misalignment;
  Wide value;
  if (misalignment == 0 || aligned < lowest || aligned + 2 * wide > highest) {
    for (int h = 0; h < halves; ++h) value.words[h] = load_bytes(address + h * half, half, lowest, highest);
    return value;
  }
  Wide low, high;
  low.whole = *reinterpret_cast<const uint4*>(aligned);
  high.whole = *reinterpret_cast<const uint4*>(aligned + wide);
  const bool odd = misalignment >= half;
  const std::uint64_t words[] = {odd ? low.words[1] : low.words[0], odd ? high.words[0] : low.words[1],
                                 odd ? high.words[1] : high.words[0]};
  const int bits = 8 * (misalignment % half);
  if (bits == 0) return {.words = {words[0], words[1]}};
  for (int h = 0; h < halves; ++h) value.words[h] = words[h] >> bits | words[h + 1] << (64 - bits);
  return value;
}

__device__ Wide load(const View& from, const Window& window) {
  const WordRun piece = from.piece<Lookup::none>(window.begin, 0);
  if (window.bytes == wide && piece.words >= wide) return load_wide(piece.address, from.lowest, from.highest);
  Wide value{.words = {0, 0}};
  for (std::uint32_t i = 0; i < window.bytes; ++i) {
    const auto byte = static_cast<std::uint64_t>(*from.at<Lookup::none>(window.begin + i, 0));
    value.words[i / half] |= byte << (8 * (i % half));
  }
  return value;
}

__device__ void store(const Window& window, const Wide& value) {
  if (window.bytes == wide) {
    *reinterpret_cast<uint4*>(window.address) = value.whole;
    return;
  }
  const std::uint32_t low = min(window.bytes, std::uint32_t{half});
  store_bytes(window.address, low, value.words[0]);
  store_bytes(window.address + low, window.bytes - low, value.words[1]);
}

__global__ void __launch_bounds__(launch_policy.threads)
    move_runs(const __grid_constant__ RunsMove move, const __grid_constant__ DeviceCounter counter) {
  constexpr int depth = runs_in_flight;
  const std::uint32_t first = first_unit<depth>();
  Window windows[depth];
  Wide values[depth];
#pragma unroll
  for (int j = 0; j < depth; ++j) {
    const std::uint32_t unit = first + j * launch_policy.threads;
    windows[j] = unit < move.units ? window_of(move, unit) : Window{nullptr, 0, 0};
    values[j].whole = load(move.from, windows[j]).whole;
  }
#pragma unroll
  for (int j = 0; j < depth; ++j) store(windows[j], values[j]);
  count_up(counter);
}

const KernelLoader loader([](const Device&) { load_kernel(kernel_address(move_runs)); });

}  // namespace

void launch_runs(const Move& move) {
  Lookup lookup = Lookup::none;
  RunsMove runs =
      runs_move(move.destination.view(move.range, 0, lookup), move.source.view(move.range, 0, lookup),
                move.destination.shape().strided.levels[0].count, move.range);
  constexpr std::int64_t tile = std::int64_t{runs_in_flight} * launch_policy.threads;
  enqueue_counting(move.context, kernel_address(move_runs), (runs.units + tile - 1) / tile,
                   launch_policy.threads, &runs);
}

}  // namespace typewarp::gpu
