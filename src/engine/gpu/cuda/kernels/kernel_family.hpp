// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/cuda/kernels/choice.hpp"
#include "engine/gpu/cuda/layout/operand.hpp"
#include "engine/gpu/launch_context.hpp"

namespace typewarp::gpu {

/// A move as it is launched.
struct Move {
  const Operand& destination;
  const Operand& source;
  ByteRange range;  ///< of the packed stream: not empty, and less than 2 GiB
  int word_log2;    ///< of the widest words that both sides allow
  const LaunchContext& context;

  MoveTraits traits() const noexcept { return {destination, source, range, word_log2}; }
  std::int64_t bytes() const noexcept { return range.end - range.begin; }
  /// Whether a side is packed bytes; what follows is about such moves.
  bool has_packed_side() const noexcept { return destination.contiguous() || source.contiguous(); }
  bool packs() const noexcept { return destination.contiguous(); }
  Direction direction() const noexcept { return packs() ? Direction::pack : Direction::unpack; }
  const Operand& layout() const noexcept { return packs() ? source : destination; }
  const Operand& packed() const noexcept { return packs() ? destination : source; }
};

// Each enqueues, by kernels that a KernelLoader loads, a move that choose() has given to its family, on the
// context's device, which is current. Throws GpuError.

void launch_transposed(const Move& move, const Transposition& tiles);
/// False, having done nothing, where items of both sides have too little in common.
bool launch_pattern(const Move& move);
void launch_words(const Move& move, KernelStrategy strategy);
void launch_layouts(const Move& move);

}  // namespace typewarp::gpu
