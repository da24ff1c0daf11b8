// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/buffer/copy_coalescer.hpp"
#include "transport/buffer/message_buffer.hpp"
#include "transport/wire/rts.hpp"

namespace typewarp::transport {

class SessionState;
struct ProtocolRow;

/// A message that was announced to this rank. `side` and `candidate` outlive what takes it in hand.
struct ReceiveContext {
  SessionState& session;
  const MessageBuffer& side;
  const Rts& rts;
  CopyCoalescer::Candidate& candidate;  ///< the message, if it may yet become a copy
  const ProtocolRow* by;                ///< that takes it; null: none
};

/// The receiver's part of a protocol, for one message.
class ReceiveProtocol {
 public:
  explicit ReceiveProtocol(const ReceiveContext& message) : row_(message.by), rts_(message.rts) {}
  ReceiveProtocol(const ReceiveProtocol&) = delete;
  ReceiveProtocol& operator=(const ReceiveProtocol&) = delete;
  virtual ~ReceiveProtocol() = default;

  /// Moves on for a while, without waiting; true when all is in place and the sender has been told, or if
  /// impossible(). Throws GpuError, MpiError, and Error if the sender failed.
  virtual bool advance() = 0;
  /// Ends without touching the user's memory any more, but for what is under way.
  virtual void discard() = 0;

  const ProtocolRow* row() const noexcept { return row_; }
  const Rts& rts() const noexcept { return rts_; }
  /// Changes whenever something got done.
  std::int64_t steps() const noexcept { return steps_; }
  /// Whether all that keeps it from answering is that other messages have all memory for fragments.
  bool waits_for_memory() const noexcept { return waits_for_memory_; }
  /// Whether the message has to come in another way. The sender waits for an answer then, as at the start.
  bool impossible() const noexcept { return impossible_; }

 protected:
  std::int64_t steps_ = 0;
  bool waits_for_memory_ = false;
  bool impossible_ = false;

 private:
  const ProtocolRow* row_;
  Rts rts_;
};

}  // namespace typewarp::transport
