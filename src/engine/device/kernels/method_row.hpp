// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/launch.hpp"
#include "engine/device/layout/operand_traits.hpp"
#include "engine/runtime/enqueue.hpp"

#include <cstdint>
#include <string>

/// Rows of the table of methods (move/choice.cpp). Each row stands beside its kernels. Plain functions of
/// values, which need no device.
namespace typewarp::gpu {

/// A move between two sides of kind `Kind`.
template <typename Kind>
struct MoveOf {
  const Kind& destination;
  const Kind& source;
  ByteRange range;  ///< of the packed stream: not empty, and less than 2 GiB where kernels move it
  int word_log2;    ///< of the widest words that both sides allow

  std::int64_t bytes() const noexcept { return range.end - range.begin; }
  bool on_link() const noexcept { return destination.on_link() || source.on_link(); }
  /// Whether a side is packed bytes; what follows is about such moves.
  bool has_packed_side() const noexcept { return destination.contiguous() || source.contiguous(); }
  bool packs() const noexcept { return destination.contiguous(); }
  Direction direction() const noexcept { return packs() ? Direction::pack : Direction::unpack; }
  const Kind& layout() const noexcept { return packs() ? source : destination; }
  const Kind& packed() const noexcept { return packs() ? destination : source; }
};

/// A move as the choice sees it.
using MoveTraits = MoveOf<OperandTraits>;

/// So few bytes of small words, or of items, are moved word by word: what counts is how long one thread
/// takes. Measured on an H100 (docs/internals/choice.md).
struct FewBytesPolicy {
  std::int64_t within_device = std::int64_t{512} << 10;
  std::int64_t on_link = std::int64_t{64} << 10;  ///< and from layout to layout
};
inline constexpr FewBytesPolicy few_bytes;

/// What choose() is asked.
struct Query {
  MoveTraits move;
  Hints hints;
  bool recorded = false;    ///< whether the move goes into a graph
  bool by_kernels = false;  ///< whether a copy engine has refused it
};

/// A move as it is launched (move.hpp). Each family has a function that enqueues one, which choose() has
/// given to its method, on the context's device, which is current; by kernels that a KernelLoader loads. They
/// throw GpuError.
struct Move;

/// One of the methods.
struct MethodRow {
  Method method;
  bool kernel = true;     ///< of this library: none of the driver's copies
  std::string (*rule)();  ///< when it is taken, in words
  const char* needs;      ///< what it cannot do without
  /// Whether it would move the right bytes.
  bool (*can)(const Query&);
  /// Whether it is the best one if none before it suits: then it can().
  bool (*suits)(const Query&);
};

inline bool passes_pcie(const MoveTraits& move) {
  return move.destination.on_host() || move.source.on_host();
}

/// "16 MiB", "64 KiB" or "100 B".
inline std::string bytes_text(std::int64_t bytes) {
  if (bytes % (1 << 20) == 0) return std::to_string(bytes >> 20) + " MiB";
  if (bytes % 1024 == 0) return std::to_string(bytes >> 10) + " KiB";
  return std::to_string(bytes) + " B";
}

}  // namespace typewarp::gpu
