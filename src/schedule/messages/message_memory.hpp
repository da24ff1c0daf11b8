// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/schedule.hpp"

#include <mpi.h>

#include <memory>
#include <optional>

namespace typewarp::schedule {

/// Whether messages of these parts, sent and received in place by one datatype each, are faster than packed
/// ones. Ranks may differ, as both send the same bytes.
bool suits_in_place(const Schedule& schedule, MPI_Comm comm);

/// Memory for packed bytes: of the host, page-locked or of a device.
class Buffer {
 public:
  Buffer() = default;
  /// Of a device if `on_device`, else where `device` gets at it best; of no bytes: none.
  Buffer(std::int64_t bytes, int device, bool on_device);

  std::byte* data() const noexcept { return memory_.get(); }
  /// Gives the memory up for good: for where messages that failed may still use it.
  void abandon();

 private:
  std::shared_ptr<std::byte> memory_;
};

/// How the messages of schedules are made, and the memory that they take in turn.
struct MessageMemory {
  struct Choices {
    bool packs;       ///< into a buffer, from where the transport takes them; else they go in place
    bool overwrites;  ///< what is received, with bytes of value 255, before messages start
    std::optional<bool> on_device =
        std::nullopt;  ///< where packed messages lie; where they are reached best if not given
  };

  /// For schedules with no longer messages than these. Communicates with nobody.
  MessageMemory(MPI_Comm of, const Schedule& longest, const Choices& choices);

  /// Whether the transport finds packed bytes in page-locked memory.
  bool pins() const noexcept { return packs && device >= 0 && !on_device; }

  MPI_Comm comm;
  Plan byte = commit(Named::byte);  ///< of what is packed
  int device;
  bool packs, on_device;
  Buffer messages;
  Buffer own;  ///< what stays in the rank: where parts are, so that it does not leave a device
  Buffer overwriting;
};

}  // namespace typewarp::schedule
