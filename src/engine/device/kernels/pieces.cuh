// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/move.cuh"

/// Between a layout and packed bytes, piece by piece: for runs that are longer than the words that their
/// alignment allows, such as the 17 bytes of struct {double, int, int, char}. A thread takes 8 consecutive
/// packed bytes at a time and covers them with as few accesses as the pieces of the layout allow.
namespace typewarp::gpu {

inline constexpr int half = 8;
inline constexpr int halves = wide / half;

/// `wide` packed bytes as halves.
union Wide {
  uint4 whole;
  std::uint64_t words[halves];
};

/// The aligned 8 bytes at `address`, of which at least one is the layout's. Where not all of them lie between
/// the layout's first and last byte, the others read as zero.
__device__ inline std::uint64_t load_aligned(const std::byte* address, const std::byte* lowest,
                                             const std::byte* highest) {
  if (address >= lowest && address + half <= highest) return *reinterpret_cast<const std::uint64_t*>(address);
  std::uint64_t value = 0;
  for (int i = 0; i < half; ++i) {
    if (address + i >= lowest && address + i < highest) {
      value |= static_cast<std::uint64_t>(address[i]) << (8 * i);
    }
  }
  return value;
}

/// `bytes` <= 8 bytes at any address, in the low bytes of the result; the others are anything.
__device__ inline std::uint64_t load_bytes(const std::byte* address, std::uint32_t bytes,
                                           const std::byte* lowest, const std::byte* highest) {
  const auto misalignment = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address) % half);
  const std::byte* const aligned = address - misalignment;
  std::uint64_t value = load_aligned(aligned, lowest, highest) >> (8 * misalignment);
  if (misalignment + bytes > half) {
    value |= load_aligned(aligned + half, lowest, highest) << (8 * (half - misalignment));
  }
  return value;
}

/// Stores the low `bytes` <= 8 bytes of `value`, and no others, in as few accesses as alignment allows.
__device__ inline void store_bytes(std::byte* address, std::uint32_t bytes, std::uint64_t value) {
  while (bytes > 0) {
    const auto place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address) % half);
    std::uint32_t step = 1;
    if (place == 0 && bytes >= 8) {
      *reinterpret_cast<std::uint64_t*>(address) = value;
      return;
    }
    if (place % 4 == 0 && bytes >= 4) {
      *reinterpret_cast<std::uint32_t*>(address) = static_cast<std::uint32_t>(value);
      step = 4;
    } else if (place % 2 == 0 && bytes >= 2) {
      *reinterpret_cast<std::uint16_t*>(address) = static_cast<std::uint16_t>(value);
      step = 2;
    } else {
      *reinterpret_cast<std::uint8_t*>(address) = static_cast<std::uint8_t>(value);
    }
    address += step;
    bytes -= step;
    value >>= 8 * step;
  }
}

/// Calls body(address, bytes, place) for the pieces of 8 packed bytes, the first of which is in word `i`.
template <int word_log2, Lookup lookup, typename Body>
__device__ void for_each_piece(const View& view, std::uint32_t i, const Body& body) {
  for (std::uint32_t done = 0; done < half;) {
    const WordRun piece = view.piece<lookup>(i + (done >> word_log2), word_log2);
    const auto most = static_cast<std::uint32_t>(half >> word_log2);
    const std::uint32_t bytes = min(piece.words, most) << word_log2;
    const std::uint32_t taken = min(bytes, std::uint32_t{half} - done);
    body(piece.address, taken, done);
    done += taken;
  }
}

template <int word_log2, Lookup lookup>
__global__ void __launch_bounds__(launch_policy.threads)
    pack_pieces(std::byte* packed, const __grid_constant__ View source, const __grid_constant__ Span span) {
  auto* const out = reinterpret_cast<uint4*>(packed + span.first);
  const std::uint32_t unit = first_unit<1>();
  if (unit < span.units) {
    Wide values;
#pragma unroll
    for (int h = 0; h < halves; ++h) {
      std::uint64_t value = 0;
      const std::uint32_t i = (span.first + unit * wide + h * half) >> word_log2;
      for_each_piece<word_log2, lookup>(
          source, i, [&](const std::byte* from, std::uint32_t bytes, std::uint32_t at) {
            const std::uint64_t part = load_bytes(from, bytes, source.lowest, source.highest);
            const std::uint64_t mask = ~std::uint64_t{0} >> (8 * (half - bytes));
            value |= (part & mask) << (8 * at);
          });
      values.words[h] = value;
    }
    __stcs(out + unit, values.whole);
  }
  finish_pack<word_log2, lookup>(packed, source, span);
}

template <int word_log2, Lookup lookup>
__global__ void __launch_bounds__(launch_policy.threads)
    unpack_pieces(const __grid_constant__ View destination, const std::byte* packed,
                  const __grid_constant__ Span span) {
  const auto* const in = reinterpret_cast<const uint4*>(packed + span.first);
  const std::uint32_t unit = first_unit<1>();
  if (unit < span.units) {
    Wide values;
    values.whole = __ldcs(in + unit);
#pragma unroll
    for (int h = 0; h < halves; ++h) {
      const std::uint32_t i = (span.first + unit * wide + h * half) >> word_log2;
      for_each_piece<word_log2, lookup>(destination, i,
                                        [&](std::byte* to, std::uint32_t bytes, std::uint32_t at) {
                                          store_bytes(to, bytes, values.words[h] >> (8 * at));
                                        });
    }
  }
  finish_unpack<word_log2, lookup>(destination, packed, span);
}

}  // namespace typewarp::gpu
