// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/move.hpp"
#include "engine/device/kernels/words.hpp"

#include <algorithm>

namespace typewarp::gpu {
namespace {

/// Bytes of shared memory of each block, for nothing but to have fewer at a time. Irregular layouts are not
/// paced: each word waits for several accesses, so that fewer threads may not keep up with the link.
std::size_t reserved(const Move& move, Method method, Lookup lookup, const Device& device) {
  if (gains_by_reserve(move.traits(), method, lookup))
    return static_cast<std::size_t>(std::min(words_policy.far_reserve, device.shared_of_block()));
  const KernelStrategy strategy = strategy_of(method);
  const bool by_words = strategy == KernelStrategy::words || strategy == KernelStrategy::deep_words;
  const bool regular = lookup == Lookup::none || lookup == Lookup::list;
  if (move.context.occupancy == OccupancyLimit::none || !by_words || !regular) return 0;
  const int depth = strategy == KernelStrategy::deep_words ? words_in_flight(move.word_log2) : 1;
  const int of_block = (launch_policy.threads * depth) << move.word_log2;
  return device.reservation(std::max(1, launch_policy.paced_bytes / of_block), launch_policy.threads);
}

/// A span of packed bytes whose units lie at multiples of their size in memory.
Span packed_span(const Operand& packed, ByteRange range, int word_log2, KernelStrategy strategy) {
  const int unit = unit_bytes(strategy, word_log2);
  const auto base = reinterpret_cast<std::uintptr_t>(packed.place(0));
  const auto phase = static_cast<std::int64_t>(-base % static_cast<std::uintptr_t>(unit));
  return {range, 1 << word_log2, unit, phase};
}

}  // namespace

void launch_words(const Move& move, Method method) {
  Launch launch{move.context, strategy_of(method)};
  const Span span = packed_span(move.packed(), move.range, move.word_log2, launch.strategy);
  std::byte* const packed = move.packed().place(span.origin);
  Lookup lookup = Lookup::none;
  const View view = move.layout().view({span.origin, move.range.end}, move.word_log2, lookup);
  launch.reserved = reserved(move, method, lookup, device(move.context.device));
  if (move.packs()) {
    launch_pack(launch, packed, view, lookup, span, move.word_log2);
  } else {
    launch_unpack(launch, view, lookup, packed, span, move.word_log2);
  }
}

}  // namespace typewarp::gpu
