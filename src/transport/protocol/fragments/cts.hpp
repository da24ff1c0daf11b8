// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/protocol/select/protocol_row.hpp"

/// The answers to an announcement, at either end.
namespace typewarp::transport {

/// Throws the Error of a message whose sender has reported a failure.
[[noreturn]] void sender_failed(int sender);

/// At the receiver: answers by an MPI message, or through the channel that was offered for that.
class CtsReply {
 public:
  /// The arguments must outlive this. Throws Error if the sender cannot be answered.
  CtsReply(SessionState& session, const Rts& rts);

  /// Takes a new tag for what the sender sends after the next answer. Throws Error if all are taken.
  void open_data() { data_tag_ = session_.comm.tags.take(); }
  /// Where that comes from.
  Peer data() const noexcept { return session_.comm.peer(rts_.sender, data_tag_.value()); }
  /// Must stay where it is from here on, until it has left. `by` receives the message, null where nothing
  /// does. Throws MpiError.
  void give(Cts::Code code, const ProtocolRow* by, std::int32_t detail = 0, std::int64_t fragment_bytes = 0);
  bool given() const noexcept { return given_; }
  /// Whether the last answer has left.
  bool left() { return posted_.test(); }

  [[noreturn]] void sender_failed() const { transport::sender_failed(rts_.sender); }

 private:
  SessionState& session_;
  const Rts& rts_;
  const ProtocolRow* channel_ = nullptr;  ///< that brings the answers; null: the MPI does
  Tag data_tag_;
  bool given_ = false;
  Cts cts_{};
  Posted posted_;
};

/// At the sender, through the MPI.
class CtsListener {
 public:
  /// `comm` must outlive this.
  CtsListener(PrivateComm& comm, int receiver) noexcept : comm_(comm), receiver_(receiver) {}

  /// Before the first answer; this object must not move from then on. Throws Error if all tags are taken.
  void open() { tag_ = comm_.tags.take(); }
  /// Posts the receive of an answer: call it before the receiver can answer. Throws MpiError.
  void await();
  bool awaits() const noexcept { return posted_.active(); }
  /// Whether the answer has arrived. Throws MpiError, and Error for a message that is no answer.
  bool arrived();
  /// Whether the last answer is of that protocol's channel.
  bool wants(const ProtocolRow& row) const noexcept { return cts.channel == row.id; }
  /// Throws the Error for an answer that breaks `rule`.
  [[noreturn]] void refuse(const char* rule) const;
  /// If the announcement was not sent: withdraws the receive, and waits for that.
  void cancel();

  int receiver() const noexcept { return receiver_; }
  int tag() const noexcept { return tag_.value(); }
  /// Where answers come from, also those to fragments; and where data goes to.
  Peer answers() const noexcept { return comm_.peer(receiver_, tag_.value()); }
  Peer data() const noexcept { return comm_.peer(receiver_, cts.data_tag); }

  Cts cts{};  ///< the last answer

 private:
  PrivateComm& comm_;
  int receiver_;
  Tag tag_;
  Posted posted_;
};

}  // namespace typewarp::transport
