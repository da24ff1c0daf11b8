// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/move.cuh"
#include "engine/runtime/device_resources.hpp"

#include <array>
#include <utility>

/// The kernels between a layout and packed bytes, by strategy, lookup and word. A `Family` is one direction:
/// its type `Kernel` is that of all its kernels, which are its static members words<word_log2, lookup, deep>
/// and pieces<word_log2, lookup>.
namespace typewarp::gpu {

template <typename Family, KernelStrategy strategy, Lookup lookup, int word_log2>
constexpr typename Family::Kernel kernel_of() {
  if constexpr (strategy == KernelStrategy::pieces) {
    return Family::template pieces<word_log2, lookup>;
  } else {
    return Family::template words < word_log2, lookup, strategy == KernelStrategy::deep_words > ;
  }
}

template <typename Family, KernelStrategy strategy, Lookup lookup, int... word_log2>
constexpr std::array<typename Family::Kernel, sizeof...(word_log2)> kernels_by_word(
    std::integer_sequence<int, word_log2...>) {
  return {kernel_of<Family, strategy, lookup, word_log2>()...};
}

/// The kernels of one strategy: a row for each lookup, with an entry for each word.
template <typename Family, KernelStrategy strategy>
inline constexpr auto kernels = [] {
  constexpr std::make_integer_sequence<int, strategy == KernelStrategy::pieces ? small_words : words> log2;
  const std::array table{kernels_by_word<Family, strategy, Lookup::none>(log2),
                         kernels_by_word<Family, strategy, Lookup::list>(log2),
                         kernels_by_word<Family, strategy, Lookup::rank>(log2),
                         kernels_by_word<Family, strategy, Lookup::search>(log2),
                         kernels_by_word<Family, strategy, Lookup::generic>(log2)};
  static_assert(table.size() == lookups);
  return table;
}();

template <typename Family>
typename Family::Kernel find_kernel(KernelStrategy strategy, Lookup lookup, int word_log2) {
  const auto row = static_cast<std::size_t>(lookup);
  const auto width = static_cast<std::size_t>(word_log2);
  switch (strategy) {
    case KernelStrategy::pieces:
      return kernels<Family, KernelStrategy::pieces>[row].at(width);
    case KernelStrategy::words:
      return kernels<Family, KernelStrategy::words>[row].at(width);
    case KernelStrategy::deep_words:
      break;
  }
  return kernels<Family, KernelStrategy::deep_words>[row].at(width);
}

/// Enqueues the kernel for the launch's strategy. `arguments` are the kernel's, and `span` is one of them.
template <typename Family>
void launch_family(const Launch& launch, Lookup lookup, Span& span, int word_log2, void** arguments) {
  const int depth = launch.strategy == KernelStrategy::deep_words ? words_in_flight(word_log2) : 1;
  enqueue(launch, find_kernel<Family>(launch.strategy, lookup, word_log2), span, depth, arguments);
}

template <typename Family>
void load_family(const Device& device) {
  load_table(kernels<Family, KernelStrategy::words>, device.shared_of_block());
  load_table(kernels<Family, KernelStrategy::deep_words>, device.shared_of_block());
  load_table(kernels<Family, KernelStrategy::pieces>);
}

}  // namespace typewarp::gpu
