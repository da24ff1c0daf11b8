// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/messages/message_memory.hpp"
#include "schedule/messages/stream_order.hpp"
#include "transport/protocol/send.hpp"

#include <typewarp/batch.hpp>

#include <exception>
#include <optional>
#include <vector>

namespace typewarp::schedule {

/// Executes a schedule by messages, as often as needed: pack(), start(), advance() and unpack(). Everything
/// is prepared once. advance() throws what fails after pack(), when all messages are over: peers wait for
/// them, and get empty ones in place of those that could not be sent.
class MessageStep {
 public:
  /// `call` names the client in errors. Memory and order must outlive this.
  MessageStep(const char* call, const MessageMemory& memory, StreamOrder& order, const Schedule& schedule);
  MessageStep& operator=(MessageStep&&) = delete;

  /// Throws at once what fails.
  void pack(Stream stream);
  /// The same for messages that start() sends in the same call: those in place may go beside packing, which
  /// only reads. What fails is kept.
  void pack_to_start(Stream stream);
  /// Starts all messages, which are packed, behind what the stream holds if they have no order yet.
  void start(Stream stream);
  /// Whether all has come; `block` waits for it. Throws what has failed, and Error for a message that a peer
  /// could not send.
  bool advance(bool block);
  void unpack(Stream stream);
  /// Whether something has failed.
  bool failed() const noexcept { return failure_ != nullptr; }
  /// Ends all messages.
  void give_up() noexcept { requests_.clear(); }

  /// Whether packing and unpacking can be captured: neither the host nor a staged copy moves any of it.
  bool can_be_captured() const noexcept { return !host_moves_.any && !host_moves_.staged; }
  /// Into a graph.
  void capture_packing(Stream stream) { packing_->pack(stream); }
  void capture_unpacking(Stream stream) { unpacking_->unpack(stream); }

  std::int64_t bytes_sent() const noexcept;
  std::int64_t messages_sent() const noexcept { return static_cast<std::int64_t>(sends_.size()); }

 private:
  class Builder;
  /// What the host moves at once.
  struct HostMoves {
    bool any = false;
    bool pinned = false;  ///< in page-locked memory, which the device may be using
    bool staged = false;  ///< between pageable memory and a device
  };

  /// Whether start() must wait for the stream: messages in page-locked memory go at once.
  bool starts_late() const noexcept { return memory_.pins() && !(sends_.empty() && receives_.empty()); }
  void order_messages(Stream stream);
  void begin();
  void begin_failed();
  void finish();
  template <typename Do>
  void attempt(Do step);

  const char* call_;
  const MessageMemory& memory_;
  StreamOrder& order_;
  std::optional<Batch> packing_, unpacking_, overwriting_;
  std::vector<transport::Sending> sends_, receives_;
  HostMoves host_moves_;
  bool has_order_ = false;  ///< whether the messages have theirs
  std::vector<Request> requests_;
  std::exception_ptr failure_;
};

}  // namespace typewarp::schedule
