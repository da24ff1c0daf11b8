// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/displaced.hpp"
#include "engine/device/gpu.hpp"

#include <typewarp/engine.hpp>

#include <span>
#include <vector>

namespace typewarp::schedule {

/// What goes between this rank and another one, or itself: `count` items of `plan` at `buffer`.
struct Part {
  void* buffer;
  std::int64_t count;
  Plan plan;
  int peer;
  std::size_t index = 0;    ///< in what the client was given
  std::int64_t bytes = 0;   ///< of the packed stream
  PointerInfo memory = {};  ///< of its first byte; of the host where there are no bytes

  /// Whether a device can move it on a stream. The host moves all else.
  bool on_stream() const noexcept { return memory.kind != MemoryKind::host; }
  /// So many bytes from where it is bound.
  gpu::Side side(std::int64_t displaced_by = 0) const noexcept {
    return {&plan, count, gpu::displaced(buffer, displaced_by), memory.kind, memory.device};
  }
};

/// All that a rank sends and receives in one step, but for what goes to nobody. The k-th part that it sends
/// to a peer is the k-th that the peer receives from it.
struct Schedule {
  std::vector<Part> sends, receives;
  int rank = 0;     ///< this one
  int device = -1;  ///< that has parts; -1: none

  /// The other ranks that this one sends to or receives from.
  std::vector<int> peers() const;
};

/// The parts of one peer, as places in a list, whose packed bytes follow each other without gaps.
struct PeerMessage {
  int peer;
  std::vector<std::size_t> parts;
  std::int64_t begin, bytes;
};

/// A part and where its packed bytes lie.
struct PackedPart {
  Part part;
  std::byte* data;
};

/// Where packed bytes lie: those of messages in one memory, and what stays in the rank in another one.
struct PackedLayout {
  /// Messages, in the order in which their peers are met, begin at `first_byte` and share no cache line.
  PackedLayout(std::span<const Part> parts, int rank, std::int64_t first_byte = 0);

  std::vector<PeerMessage> messages;  ///< of other ranks, none of them empty
  std::vector<std::int64_t> places;   ///< of each part, in the memory that it belongs to
  std::int64_t end, own_end = 0;
};

}  // namespace typewarp::schedule
