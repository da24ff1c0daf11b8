// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The kernels, compiled once an instruction set: included by kernels_<set>.cpp inside an anonymous namespace,
// after the standard headers and after the pragma that selects the set. Nothing here and in the files
// included here calls a function of the standard library that could be instantiated for one set and then run
// on a machine of another.
#include "engine/host/moves.ipp"

struct Pack {
  template <typename Move>
  [[gnu::always_inline]] static void move(std::byte* user, std::byte* packed, std::int64_t length) {
    Move::move(packed, user, length);
  }
  static Kernel kernel(const Step& step) { return step.pack; }
};
struct Unpack {
  template <typename Move>
  [[gnu::always_inline]] static void move(std::byte* user, std::byte* packed, std::int64_t length) {
    Move::move(user, packed, length);
  }
  static Kernel kernel(const Step& step) { return step.unpack; }
};

#ifdef TYPEWARP_HOST_AVX2
/// 12 bytes in the lower part of a register.
[[gnu::always_inline]] inline __m128i load_12(const std::byte* from) {
  int last;
  __builtin_memcpy(&last, from + 8, sizeof last);
  return _mm_insert_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)), last, 2);
}

/// Packs four runs of 12 bytes with three whole stores; returns how many of `count` runs were packed.
[[gnu::always_inline]] inline std::int64_t pack_fours_of_12(const std::byte* user, std::byte* packed,
                                                            std::int64_t count, std::int64_t stride) {
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const __m128i a = load_12(user);
    const __m128i b = load_12(user + stride);
    const __m128i c = load_12(user + 2 * stride);
    const __m128i d = load_12(user + 3 * stride);
    auto* const to = reinterpret_cast<__m128i*>(packed);
    _mm_storeu_si128(to, _mm_blend_epi32(a, _mm_slli_si128(b, 12), 0b1000));
    _mm_storeu_si128(to + 1, _mm_blend_epi32(_mm_srli_si128(b, 4), _mm_slli_si128(c, 8), 0b1100));
    _mm_storeu_si128(to + 2, _mm_blend_epi32(_mm_srli_si128(c, 8), _mm_slli_si128(d, 4), 0b1110));
    user += 4 * stride;
    packed += 48;
  }
  return i;
}
#endif

/// Asks for the cache lines of the run at `user` before it is needed.
template <typename Way>
[[gnu::always_inline]] inline void prefetch(const std::byte* user, std::int64_t length) {
  for (std::int64_t at = 0; at < length; at += Policy::cache_line) {
    __builtin_prefetch(user + at, std::is_same_v<Way, Unpack>);
  }
}

/// `count` runs, `stride` apart in user memory; with `ahead` > 0, that many runs are on their way from
/// memory.
template <typename Way, typename Move, bool Far = false>
[[gnu::always_inline]] inline void strided(std::byte* user, std::byte* packed, std::int64_t count,
                                           std::int64_t stride, std::int64_t length, std::int64_t ahead = 0) {
  constexpr int unroll = Move::unroll;
#ifdef TYPEWARP_HOST_AVX2
  if constexpr (std::is_same_v<Move, Fixed<12>> && std::is_same_v<Way, Pack> && !Far) {
    const std::int64_t done = pack_fours_of_12(user, packed, count, stride);
    user += done * stride;
    packed += done * 12;
    count -= done;
  }
#endif
  for (; count >= unroll; count -= unroll) {
#pragma GCC unroll 8
    for (int i = 0; i < unroll; ++i) {
      if constexpr (Far) prefetch<Way>(user + (i + ahead) * stride, length);
      Way::template move<Move>(user + i * stride, packed + i * length, length);
    }
    user += unroll * stride;
    packed += unroll * length;
  }
  if constexpr (unroll > 1) {
    for (; count > 0; --count) {
      Way::template move<Move>(user, packed, length);
      user += stride;
      packed += length;
    }
  }
}

template <typename Way>
void run(const Step&, std::byte* user, std::byte* packed, std::int64_t first, std::int64_t last) {
  Way::template move<Any>(user + first, packed, last - first);
}

/// Whether the machine does not see by itself which lines come next.
inline bool is_sparse(std::int64_t stride) {
  return stride >= Policy::prefetch_stride || stride <= -Policy::prefetch_stride;
}

/// repeat of run
template <typename Way, typename Move>
void repeat_run(const Step& step, std::byte* user, std::byte* packed, std::int64_t first, std::int64_t last) {
  const std::int64_t count = last - first;
  const std::int64_t length = Move::constant > 0 ? Move::constant : step.child_size;
  const std::int64_t lines = length / Policy::cache_line + 1;
  user += first * step.stride;
  if (count * lines >= Policy::prefetch_from && lines <= Policy::prefetch_lines && is_sparse(step.stride)) {
    strided<Way, Move, true>(user, packed, count, step.stride, length, Policy::prefetch_lines / lines);
  } else {
    strided<Way, Move>(user, packed, count, step.stride, length);
  }
}

/// repeat of repeat of run
template <typename Way, typename Move>
void repeat_repeat_run(const Step& step, std::byte* user, std::byte* packed, std::int64_t first,
                       std::int64_t last) {
  const Step& inner = *step.child;
  const std::int64_t rows = inner.count;
  const std::int64_t stride = inner.stride;
  const std::int64_t length = Move::constant > 0 ? Move::constant : inner.child_size;
  user += first * step.stride;
  for (std::int64_t i = first; i < last; ++i) {
    strided<Way, Move>(user, packed, rows, stride, length);
    user += step.stride;
    packed += step.child_size;
  }
}

/// The same where consecutive outer children are neighbours in memory (a transposed matrix): a few of them go
/// together, so that a cache line and a page of the user's side are visited once.
template <typename Way, typename Move>
void transposed(const Step& step, std::byte* user, std::byte* packed, std::int64_t first, std::int64_t last) {
  constexpr int group = 8;
  const Step& inner = *step.child;
  const std::int64_t length = Move::constant > 0 ? Move::constant : inner.child_size;
  const std::int64_t near = step.stride;
  const std::int64_t apart = step.child_size;
  user += first * near;
  for (; last - first >= group; first += group) {
    for (std::int64_t row = 0; row < inner.count; ++row) {
      std::byte* const u = user + row * inner.stride;
      std::byte* const p = packed + row * length;
#pragma GCC unroll 8
      for (int i = 0; i < group; ++i) Way::template move<Move>(u + i * near, p + i * apart, length);
    }
    user += group * near;
    packed += group * apart;
  }
  for (; first < last; ++first) {
    strided<Way, Move>(user, packed, inner.count, inner.stride, length);
    user += near;
    packed += apart;
  }
}

/// blocks of run
template <typename Way, typename Move, typename Index>
void blocks_run(const Step& step, std::byte* user, std::byte* packed, std::int64_t first, std::int64_t last) {
  constexpr int unroll = Move::unroll;
  const Index* const at = reinterpret_cast<const Index*>(step.displacements);
  const std::int64_t length = Move::constant > 0 ? Move::constant : step.child_size;
  for (; first + unroll <= last; first += unroll) {
#pragma GCC unroll 8
    for (int i = 0; i < unroll; ++i)
      Way::template move<Move>(user + at[first + i], packed + i * length, length);
    packed += unroll * length;
  }
  for (; first < last; ++first) {
    Way::template move<Move>(user + at[first], packed, length);
    packed += length;
  }
}

/// varying blocks of bytes
template <typename Way, typename Index>
void varying_bytes(const Step& step, std::byte* user, std::byte* packed, std::int64_t first,
                   std::int64_t last) {
  const Index* const at = reinterpret_cast<const Index*>(step.displacements);
  const Index* const prefix = reinterpret_cast<const Index*>(step.prefix);
  const std::int64_t begin = prefix[first];
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t length = prefix[i + 1] - prefix[i];
    Way::template move<Any>(user + at[i], packed + (prefix[i] - begin), length);
  }
}

/// varying blocks of anything else
template <typename Way, typename Index>
void varying(const Step& step, std::byte* user, std::byte* packed, std::int64_t first, std::int64_t last) {
  const Index* const at = reinterpret_cast<const Index*>(step.displacements);
  const Index* const prefix = reinterpret_cast<const Index*>(step.prefix);
  const Step& child = *step.child;
  const Kernel kernel = Way::kernel(child);
  const std::int64_t begin = prefix[first];
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t children = (prefix[i + 1] - prefix[i]) / child.child_size;
    kernel(child, user + at[i], packed + (prefix[i] - begin), 0, children);
  }
}

template <typename Way>
void repeat(const Step& step, std::byte* user, std::byte* packed, std::int64_t first, std::int64_t last) {
  const Step& child = *step.child;
  const Kernel kernel = Way::kernel(child);
  user += first * step.stride;
  for (; first < last; ++first) {
    kernel(child, user, packed, 0, child.count);
    user += step.stride;
    packed += step.child_size;
  }
}

template <typename Way>
void blocks(const Step& step, std::byte* user, std::byte* packed, std::int64_t first, std::int64_t last) {
  const Step& child = *step.child;
  const Kernel kernel = Way::kernel(child);
  for (; first < last; ++first) {
    kernel(child, user + entry(step.displacements, step.width, first), packed, 0, child.count);
    packed += step.child_size;
  }
}

template <typename Way>
void sequence(const Step& step, std::byte* user, std::byte* packed, std::int64_t first, std::int64_t last) {
  for (; first < last; ++first) {
    const Step& member = *step.members[first];
    Way::kernel(member)(member, user + entry(step.displacements, step.width, first), packed, 0, member.count);
    packed += member.size;
  }
}

#include "engine/host/choice.ipp"
