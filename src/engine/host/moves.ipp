// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How one run of bytes is moved: a type for every length or class of lengths. Included by kernels.ipp, to
// which its rules apply.

#ifdef TYPEWARP_HOST_AVX2
constexpr std::size_t widest = 32;
#else
constexpr std::size_t widest = 16;
#endif

/// Moves `Width` bytes without any assumption on alignment.
template <std::size_t Width>
[[gnu::always_inline]] inline void move_word(std::byte* to, const std::byte* from) {
#ifdef TYPEWARP_HOST_AVX2
  if constexpr (Width == 32) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
    return;
  }
#endif
  struct Word {
    unsigned char bytes[Width];
  } word;
  __builtin_memcpy(&word, from, Width);
  __builtin_memcpy(to, &word, Width);
}

/// Moves a run of any length in (Width * (Words - 1), Width * Words]: the last word overlaps the one before
/// it, so that nothing outside the run is read or written.
template <std::size_t Width, int Words>
struct Cover {
  [[gnu::always_inline]] static void move(std::byte* to, const std::byte* from, std::int64_t length) {
    constexpr std::int64_t width{Width};
#pragma GCC unroll 16
    for (int i = 0; i + 1 < Words; ++i) move_word<Width>(to + i * width, from + i * width);
    const std::int64_t last = Words == 1 ? 0 : length - width;
    move_word<Width>(to + last, from + last);
  }
  /// The length, where it is known at compile time.
  static constexpr std::int64_t constant = Words == 1 ? std::int64_t{Width} : 0;
  /// How many runs a loop takes a turn: enough to hide its own instructions.
  static constexpr int unroll = Words == 1 ? 4 : (Words <= 3 ? 2 : 1);
};

/// A run of exactly `Length` bytes: a constant lets the compiler address several runs without arithmetic, and
/// two words that do not overlap are written faster.
template <std::size_t Length>
struct Fixed {
  static constexpr std::size_t width = Length >= widest ? widest : std::bit_floor(Length);

  [[gnu::always_inline]] static void move(std::byte* to, const std::byte* from, std::int64_t) {
    move_word<width>(to, from);
    if constexpr (Length > width) Fixed<Length - width>::move(to + width, from + width, 0);
  }
  static constexpr std::int64_t constant{Length};
  static constexpr int unroll = Length <= 16 ? 4 : (Length <= 64 ? 2 : 1);
};

/// Runs of 64 bytes and more, too long to unroll.
struct Long {
  [[gnu::always_inline]] static void move(std::byte* to, const std::byte* from, std::int64_t length) {
    if (length < Policy::memcpy_from) return copy_long(to, from, length);
    std::memcpy(to, from, static_cast<std::size_t>(length));
  }
  static constexpr std::int64_t constant = 0;
  static constexpr int unroll = 1;
};

/// A run whose length is known only here.
struct Any {
  [[gnu::always_inline]] static void move(std::byte* to, const std::byte* from, std::int64_t length) {
    if (length > 16) {
      if (length <= 32) return Cover<16, 2>::move(to, from, length);
      if (length <= 48) return Cover<16, 3>::move(to, from, length);
      if (length <= 64) return Cover<16, 4>::move(to, from, length);
      return Long::move(to, from, length);
    }
    if (length >= 8) return Cover<8, 2>::move(to, from, length);
    if (length >= 4) return Cover<4, 2>::move(to, from, length);
    if (length >= 2) return Cover<2, 2>::move(to, from, length);
    if (length == 1) move_word<1>(to, from);
  }
};
