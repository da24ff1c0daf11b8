// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/core.hpp"
#include "transport/side.hpp"

#include <utility>

namespace typewarp::transport {

/// A message on its way to where its receiver can read it, all of it, since the user's memory has no name: it
/// lies in several allocations, or in one that no other process can map.
class PackedWhole {
 public:
  /// With no room, there is no such message.
  explicit PackedWhole(Room room) noexcept : room_(std::move(room)) {}

  explicit operator bool() const noexcept { return static_cast<bool>(room_); }
  /// Whether all of it is there. The first call, for which the turn must have come, begins to pack it, with
  /// others of the device; `side` must stay until release() says so. Throws CudaError for what failed.
  bool packed(Core& core, const Side& side);
  /// Launches what it is to be packed with.
  void hurry() noexcept { gathered_.hurry(); }
  /// Reads nothing more of the user's memory than what has been launched does.
  void give_up() noexcept { gathered_.withdraw(); }
  /// For when nobody reads it any more: whether nothing writes to the room either, which is given back then.
  bool release() noexcept;

 private:
  Room room_;
  bool begun_ = false;
  Gather::Copy gathered_;
  std::optional<cuda::Event> packed_;
};

}  // namespace typewarp::transport
