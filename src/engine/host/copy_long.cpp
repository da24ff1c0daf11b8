// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/host/copy_long.hpp"

#include <array>
#include <cstring>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace typewarp::host {
namespace {

void by_memcpy(std::byte* to, const std::byte* from, std::int64_t length) {
  std::memcpy(to, from, static_cast<std::size_t>(length));
}

#ifdef __x86_64__

/// Bytes from `to` to the next multiple of `width`, at least one.
std::int64_t to_boundary(const std::byte* to, std::int64_t width) {
  return width - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to)) % width;
}

// Both loops: the first and the last word are read before anything is written, and written last, unaligned;
// they overlap the aligned words between.

[[gnu::target("avx2")]] void by_avx2(std::byte* to, const std::byte* from, std::int64_t length) {
  constexpr std::int64_t width = 32;
  std::byte* const first = to;
  std::byte* const last = to + length - width;
  const __m256i head = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  const __m256i tail = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + length - width));
  const std::int64_t skip = to_boundary(to, width);
  to += skip;
  from += skip;
  for (; last - to >= 3 * width; to += 4 * width, from += 4 * width) {
    const auto* const source = reinterpret_cast<const __m256i*>(from);
    auto* const target = reinterpret_cast<__m256i*>(to);
    const __m256i a = _mm256_loadu_si256(source);
    const __m256i b = _mm256_loadu_si256(source + 1);
    const __m256i c = _mm256_loadu_si256(source + 2);
    const __m256i d = _mm256_loadu_si256(source + 3);
    _mm256_store_si256(target, a);
    _mm256_store_si256(target + 1, b);
    _mm256_store_si256(target + 2, c);
    _mm256_store_si256(target + 3, d);
  }
  for (; to < last; to += width, from += width) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(to),
                       _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(last), tail);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(first), head);
}

[[gnu::target("avx512f")]] void by_avx512(std::byte* to, const std::byte* from, std::int64_t length) {
  constexpr std::int64_t width = 64;
  std::byte* const first = to;
  std::byte* const last = to + length - width;
  const __m512i head = _mm512_loadu_si512(from);
  const __m512i tail = _mm512_loadu_si512(from + length - width);
  const std::int64_t skip = to_boundary(to, width);
  to += skip;
  from += skip;
  for (; last - to >= 3 * width; to += 4 * width, from += 4 * width) {
    const __m512i a = _mm512_loadu_si512(from);
    const __m512i b = _mm512_loadu_si512(from + width);
    const __m512i c = _mm512_loadu_si512(from + 2 * width);
    const __m512i d = _mm512_loadu_si512(from + 3 * width);
    _mm512_store_si512(to, a);
    _mm512_store_si512(to + width, b);
    _mm512_store_si512(to + 2 * width, c);
    _mm512_store_si512(to + 3 * width, d);
  }
  for (; to < last; to += width, from += width) _mm512_store_si512(to, _mm512_loadu_si512(from));
  _mm512_storeu_si512(last, tail);
  _mm512_storeu_si512(first, head);
}

#endif

CopyLong fastest() noexcept {
#ifdef __x86_64__
  // AMD's cores with AVX-512 copy no faster by it than by AVX2.
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_is("intel")) return by_avx512;
  if (__builtin_cpu_supports("avx2")) return by_avx2;
#endif
  return by_memcpy;
}

}  // namespace

// Usable before any initialisation has run, better afterwards.
constinit CopyLong copy_long = by_memcpy;

namespace {
const bool chosen = (copy_long = fastest()) != nullptr;
}  // namespace

std::span<const CopyVariant> copy_variants() noexcept {
  static const std::array variants{
      CopyVariant{"memcpy", by_memcpy, true},
#ifdef __x86_64__
      CopyVariant{"avx2", by_avx2, __builtin_cpu_supports("avx2") != 0},
      CopyVariant{"avx512", by_avx512, __builtin_cpu_supports("avx512f") != 0},
#endif
  };
  return variants;
}

}  // namespace typewarp::host
