// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/cuda/move.cuh"

#include <array>
#include <utility>

/// The kernels between a layout and packed bytes, by grain, lookup and word. A `Family` is one direction: its
/// type `Kernel` is that of all its kernels, which are its static members words<word_log2, lookup, deep>,
/// staged<word_log2, lookup> and pieces<word_log2, lookup>.
namespace typewarp::cuda {

template <typename Family, Grain grain, Lookup lookup, int word_log2>
constexpr typename Family::Kernel kernel_of() {
  if constexpr (grain == Grain::staged) {
    return Family::template staged<word_log2, lookup>;
  } else if constexpr (grain == Grain::pieces) {
    return Family::template pieces<word_log2, lookup>;
  } else {
    return Family::template words < word_log2, lookup, grain == Grain::deep_words > ;
  }
}

template <typename Family, Grain grain, Lookup lookup, int... word_log2>
constexpr std::array<typename Family::Kernel, sizeof...(word_log2)> kernels_by_word(
    std::integer_sequence<int, word_log2...>) {
  return {kernel_of<Family, grain, lookup, word_log2>()...};
}

/// The kernels of one grain: a row for each lookup, with an entry for each word.
template <typename Family, Grain grain>
inline constexpr auto kernels = [] {
  constexpr bool small_words = grain == Grain::staged || grain == Grain::pieces;
  constexpr std::make_integer_sequence<int, small_words ? staged_words : words> log2;
  const std::array table{kernels_by_word<Family, grain, Lookup::none>(log2),
                         kernels_by_word<Family, grain, Lookup::list>(log2),
                         kernels_by_word<Family, grain, Lookup::rank>(log2),
                         kernels_by_word<Family, grain, Lookup::search>(log2),
                         kernels_by_word<Family, grain, Lookup::generic>(log2)};
  static_assert(table.size() == lookups);
  return table;
}();

template <typename Family>
typename Family::Kernel find_kernel(Grain grain, Lookup lookup, int word_log2) {
  const auto row = static_cast<std::size_t>(lookup);
  const auto width = static_cast<std::size_t>(word_log2);
  switch (grain) {
    case Grain::staged:
      return kernels<Family, Grain::staged>[row].at(width);
    case Grain::pieces:
      return kernels<Family, Grain::pieces>[row].at(width);
    case Grain::words:
      return kernels<Family, Grain::words>[row].at(width);
    case Grain::deep_words:
      break;
  }
  return kernels<Family, Grain::deep_words>[row].at(width);
}

/// Enqueues the kernel for the launch's grain. `arguments` are the kernel's, and `span` is one of them.
template <typename Family>
void launch_family(const Launch& launch, Lookup lookup, Span& span, int word_log2, void** arguments) {
  const int depth = launch.grain == Grain::deep_words ? words_in_flight(word_log2) : 1;
  enqueue(launch, find_kernel<Family>(launch.grain, lookup, word_log2), span, depth, arguments);
}

/// `reservable`: bytes of shared memory that a block may have at most, which is more than unasked.
template <typename Family>
void load_family(int reservable) {
  load_table(kernels<Family, Grain::words>, reservable);
  load_table(kernels<Family, Grain::deep_words>, reservable);
  load_table(kernels<Family, Grain::staged>);
  load_table(kernels<Family, Grain::pieces>);
}

}  // namespace typewarp::cuda
