// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/displaced.hpp"
#include "engine/device/gpu.hpp"
#include "exchange/group.hpp"

#include <typewarp/exchange.hpp>

#include <string_view>
#include <vector>

namespace typewarp::exchange {

inline constexpr std::string_view call = "typewarp::Exchange";

/// What keeps a sender's device from storing a part where it belongs.
enum class Obstacle : std::uint8_t { none, sender, receiver, host, allocation, layout, reach };
/// As a clause.
std::string_view text(Obstacle obstacle) noexcept;

/// A part of either direction, on this rank.
struct Part {
  void* buffer;
  std::int64_t count;
  Plan plan;
  int peer;
  std::size_t index;  ///< in what the caller gave
  std::int64_t bytes = 0;
  PointerInfo memory = {};             ///< of its first byte; of the host where there are no bytes
  Obstacle obstacle = Obstacle::none;  ///< of one that is carried

  /// Whether kernels move it, once there is a device. The thread of the exchange moves all else.
  bool on_stream() const noexcept { return memory.kind != MemoryKind::host; }
  /// So many bytes from where it is bound.
  gpu::Side side(std::int64_t displaced_by = 0) const noexcept {
    return {&plan, count, gpu::displaced(buffer, displaced_by), memory.kind, memory.device};
  }
};

/// All parts of a rank, but for those of nobody.
struct Parts {
  std::vector<Part> sends, receives;
  int rank = 0;     ///< this one
  int device = -1;  ///< that moves them; -1: none, and no part is on_stream()
};

/// Throws InvalidArgument, as the constructor of Exchange does.
Parts checked(std::span<const OutgoingPart> sends, std::span<const IncomingPart> receives,
              const Group& group);

}  // namespace typewarp::exchange
