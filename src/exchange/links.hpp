// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/flags.hpp"
#include "exchange/group.hpp"
#include "exchange/parts.hpp"

#include <memory>
#include <vector>

namespace typewarp::exchange {

/// A part that this rank's device stores where it belongs.
struct Push {
  Part part;
  Plan plan;  ///< of the receiver
  std::int64_t count;
  std::byte* buffer;  ///< the receiver's, as this rank's device addresses it
  PointerInfo memory;
  bool own = false;    ///< on both sides this rank's
  bool lands = false;  ///< packed, in memory from where the receiver unpacks it
};

/// A part that another device stores packed, since it would take longer to store its short runs over a link.
struct Landing {
  Part part;
  std::byte* packed;
};

/// Parts that are carried, in messages to or from their peers, and why each is.
struct Carried {
  std::vector<Part> parts;
  std::vector<Obstacle> reasons;
};

/// Which ways the parts of this rank go, as it is agreed with its peers.
struct Links {
  std::vector<Push> pushes;
  std::int64_t direct_receives = 0;
  std::vector<Landing> landings;
  std::unique_ptr<gpu::DeviceBuffer> landing_memory;
  Carried sent, received;

  // Of this rank, in memory of its device, if it has direct peers. The first one is the gate of its pushes.
  std::unique_ptr<gpu::DeviceFlags> flags;
  // A receiver raises a credit, in the sender's memory, when its buffer may be overwritten; and the sender an
  // arrival, in the receiver's memory, when it has stored all; another one when it has stored what lands.
  std::vector<gpu::Flag*> credits_raised, credits_awaited, arrivals_raised, arrivals_awaited;
  std::vector<gpu::Flag*> landings_raised, landings_awaited;
  std::vector<gpu::ImportedMemory> mapped;
  bool shares_device = false;  ///< whether another rank of the group uses the same one

  /// Gives up what peers may still write to.
  void abandon() noexcept {
    flags->abandon();
    static_cast<void>(landing_memory.release());
  }
};

/// Collective. Throws Error on all ranks where peers disagree; GpuError, and what the group throws.
Links linked(Group& group, const Schedule& parts);

}  // namespace typewarp::exchange
