// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/streams/connections.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace typewarp::exchange {

/// The signals between whoever starts an exchange, its streams or else its caller, and its HostTransport.
class StartSignals {
 public:
  StartSignals& operator=(StartSignals&&) = delete;
  virtual ~StartSignals() = default;

  /// If one more start has come, and the device has packed its parts: by how many bytes the sends of the host
  /// are displaced in it. Asked when the memory for what is sent is free.
  virtual std::optional<std::int64_t> begun() = 0;
  /// That memory is free again.
  virtual void sent() = 0;
  /// What was received is there: that of the host in its place.
  virtual void received() = 0;
  /// Whether the memory for what is received is free again. Asked after received().
  virtual bool unpacked() = 0;
};

/// Carries the parts of an exchange that no device stores where they belong. One thread at a time may call
/// it.
class HostTransport {
 public:
  HostTransport& operator=(HostTransport&&) = delete;
  /// Ends what has not come.
  virtual ~HostTransport() = default;

  /// What a device packs, and unpacks.
  virtual const std::vector<PackedPart>& packed_on_stream() const noexcept = 0;
  virtual const std::vector<PackedPart>& unpacked_on_stream() const noexcept = 0;

  /// Whether a thread that the caller did not make may call it.
  virtual bool allows_threads() const = 0;
  /// Moves messages, and the parts that the host packs and unpacks, as far as it can without waiting. Returns
  /// whether anything moved.
  virtual bool step(StartSignals& starts) = 0;
  /// Whether a message that is being sent has not left yet, so that step() is still needed.
  virtual bool sending() const noexcept = 0;
  /// A rank that a start waits for; negative if there is none.
  virtual int awaited_peer() const = 0;
  /// Gives up all messages and their memory for good, since peers are late or gone.
  virtual void abandon() noexcept = 0;
};

}  // namespace typewarp::exchange
