// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/gpu.hpp"

#include <optional>
#include <string_view>

namespace typewarp::engine {

/// Where a side lies.
struct SideLocation {
  const void* address;  ///< of its first byte of data
  PointerInfo memory;

  /// Managed memory counts as a device's, because kernels may be using it.
  bool on_device() const noexcept;
  /// Whether kernels of `device` can touch it.
  bool reachable(int device) const;
  /// `side`, which lies here, with what is known of its memory.
  gpu::Side of(gpu::Side side) const noexcept;
};

/// Asks the driver about the first byte of `side` that holds data: its address itself may be null or lie
/// outside of the buffer.
SideLocation place_of(const gpu::Side& side);

/// That kernels of `device` can touch what lies there, which is the `argument` of a call.
void check_reachable(std::string_view call, std::string_view argument, const SideLocation& place, int device);

/// Between which places bytes move, and so who can move them.
struct Route {
  SideLocation destination, source;

  Route(SideLocation to, SideLocation from) : destination(to), source(from) {}
  Route(const gpu::Side& destination_side, const gpu::Side& source_side)
      : Route(place_of(destination_side), place_of(source_side)) {}

  bool on_host() const noexcept { return !destination.on_device() && !source.on_device(); }
  /// The device that executes, if not on_host(): `preferred` if there is one (-1 otherwise), else that of the
  /// source, else that of the destination.
  int device(int preferred) const noexcept;
  /// Whether `device` can do it alone; bytes pass through pinned memory otherwise.
  bool direct(int device) const { return destination.reachable(device) && source.reachable(device); }
};

/// Moves bytes `range`, which must not be empty, between two sides wherever each lies, with the stream
/// semantics of engine.hpp, for the public `call`. A context with device -1 takes that of its stream, or of
/// the data if it is a default stream. Whoever follows the context follows what its device does; all else is
/// in place on return. Checks no argument but `stream`, which must not be captured where the move has to
/// wait: InvalidArgument then. Pinned memory counts as the host's unless the other side is a device's.
void move(std::string_view call, const gpu::Side& destination, const gpu::Side& source, ByteRange range,
          gpu::LaunchContext context);
/// The same where the bytes of that range lie: elsewhere than the first bytes of a side may.
void move(std::string_view call, const gpu::Side& destination, const gpu::Side& source, ByteRange range,
          gpu::LaunchContext context, const Route& route);

/// A side, and who moves its bytes: the calling thread if there is no device, or a device on a stream.
struct PlacedSide {
  gpu::Side side;
  std::optional<gpu::LaunchContext> device;
};

/// Moves bytes `range` on the calling thread (and the host engine's).
void move_on_host(const gpu::Side& destination, const gpu::Side& source, ByteRange range);

/// Moves bytes `range` through pinned memory in chunks, two in flight, between sides that nobody can reach
/// both. All bytes are in place on return. Throws what either engine throws; nothing is in flight then.
void move_staged(const PlacedSide& destination, const PlacedSide& source, ByteRange range);

}  // namespace typewarp::engine
