// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/cuda/layout/operand.hpp"
#include "engine/gpu/launch_context.hpp"

namespace typewarp::gpu {

/// A move as families of kernels are asked for it.
struct Move {
  const Operand& destination;
  const Operand& source;
  ByteRange range;  ///< of the packed stream: not empty, and less than 2 GiB
  int word_log2;    ///< of the widest words that both sides allow
  const LaunchContext& context;

  std::int64_t bytes() const noexcept { return range.end - range.begin; }
  /// Whether a side is packed bytes; what follows is about such moves.
  bool has_packed_side() const noexcept { return destination.contiguous() || source.contiguous(); }
  bool packs() const noexcept { return destination.contiguous(); }
  Direction direction() const noexcept { return packs() ? Direction::pack : Direction::unpack; }
  const Operand& layout() const noexcept { return packs() ? source : destination; }
  const Operand& packed() const noexcept { return packs() ? destination : source; }
};

// Each asks one family, whose kernels a KernelLoader loads: enqueues the move if it suits them, on the
// context's device, which is current; returns false, having done nothing, if it does not. Throws GpuError.

/// Through tiles, where the layout is transposed.
bool launch_transposed(const Move& move);
/// Whole items through shared memory, where they are small and odd.
bool launch_pattern(const Move& move);
/// Word by word between a layout and packed bytes.
bool launch_words(const Move& move);
/// Word by word; suits every move.
bool launch_layouts(const Move& move);

}  // namespace typewarp::gpu
