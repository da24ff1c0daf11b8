// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/signalled_copies.hpp"
#include "schedule/streams/group.hpp"
#include "schedule/streams/parts.hpp"

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
  bool own = false;     ///< on both sides this rank's
  bool packed = false;  ///< into memory from where the receiver unpacks it
};

/// Parts that are carried, in messages to or from their peers, and why each is.
struct Carried {
  std::vector<Part> parts;
  std::vector<NotDirectReason> reasons;
};

/// How the parts of this rank travel, as agreed with its peers.
struct Connections {
  std::vector<Push> pushes;
  std::int64_t direct_receives = 0;
  std::vector<PackedPart> packed_receives;  ///< parts that other devices store packed
  std::unique_ptr<gpu::DeviceAllocation> packed_memory;
  Carried sent, received;

  /// Of this rank, in memory of its device, if it has direct peers. The first one is the gate of its pushes.
  std::unique_ptr<gpu::DeviceFlags> flags;
  gpu::FlagSteps credits;   ///< a receiver raises one in the sender's memory: its buffer may be overwritten
  gpu::FlagSteps arrivals;  ///< a sender raises one in the receiver's memory: it has stored all
  gpu::FlagSteps packed_arrivals;  ///< the same of what it stores packed
  std::vector<gpu::ImportedMemory> mapped;
  bool shares_device = false;  ///< whether another rank of the group uses the same one

  /// Gives up what peers may still write to.
  void abandon() noexcept {
    flags->abandon();
    static_cast<void>(packed_memory.release());
  }
};

/// Collective. Throws Error on all ranks where peers disagree; GpuError, and what the group throws.
Connections connected(ExchangeGroup& group, const Schedule& parts);

}  // namespace typewarp::exchange
