// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/links.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace typewarp::exchange {

/// What the streams of an exchange, or else its caller, and its messages tell each other.
class Turns {
 public:
  Turns() = default;
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;
  virtual ~Turns() = default;

  /// If one more start has come, with all packed that a device packs: by how many bytes it has the sends
  /// of the host displaced. Asked when the memory for what is sent is free.
  virtual std::optional<std::int64_t> begun() = 0;
  /// That memory is free again.
  virtual void sent() = 0;
  /// What was received is there: that of the host in its place.
  virtual void received() = 0;
  /// Whether the memory for what is received is free again. Asked after received().
  virtual bool unpacked() = 0;
};

/// A part and where its packed bytes lie.
struct Packed {
  Part part;
  std::byte* data;
};

/// What carries the messages of an exchange that no device stores where they belong. Not for several threads
/// at once.
class Carrier {
 public:
  Carrier() = default;
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  /// Ends what has not come.
  virtual ~Carrier() = default;

  /// What a device packs, and unpacks.
  virtual const std::vector<Packed>& packed_on_stream() const noexcept = 0;
  virtual const std::vector<Packed>& unpacked_on_stream() const noexcept = 0;

  /// Whether a thread that the caller did not make may call it.
  virtual bool allows_threads() const = 0;
  /// Moves messages, and the parts of the host, on as far as that is possible without waiting; whether they
  /// moved.
  virtual bool step(Turns& turns) = 0;
  /// Whether something that is sent has not left yet: step() is still wanted.
  virtual bool sending() const noexcept = 0;
  /// A rank that what has begun waits for; negative if that is none.
  virtual int awaited_peer() const = 0;
  /// Leaves everything as it is for good: peers are late or gone.
  virtual void abandon() noexcept = 0;
};

}  // namespace typewarp::exchange
