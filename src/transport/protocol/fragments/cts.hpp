// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/protocol/select/protocol_row.hpp"

/// The answers to an announcement, at either end.
namespace typewarp::transport {

/// Throws the Error for a sender that says that it has failed.
[[noreturn]] void sender_failed(int sender);

/// At the receiver: by a message of the MPI, or by the channel that the announcement offers for that.
class CtsReply {
 public:
  /// What is passed must outlive this. Throws Error where there is nowhere to bring an answer to.
  CtsReply(SessionState& session, const Rts& rts);

  /// A new tag for what the sender sends from the next answer on. Throws Error if all are taken.
  void open_data() { data_tag_ = session_.comm.tags.take(); }
  /// From where that comes.
  Peer data() const noexcept { return session_.comm.peer(rts_.sender, data_tag_.value()); }
  /// Must stay where it is from here on, until it has left. `by` receives the message, null where nothing
  /// does. Throws MpiError.
  void give(Cts::Code code, const ProtocolRow* by, std::int32_t detail = 0, std::int64_t fragment_bytes = 0);
  bool given() const noexcept { return given_; }
  /// Whether nothing of the last answer is under way.
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

  /// For the first answer; must stay where it is from here on. Throws Error if all tags are taken.
  void open() { tag_ = comm_.tags.take(); }
  /// To be called before the receiver can answer, once for each answer. Throws MpiError.
  void await();
  bool awaits() const noexcept { return posted_.active(); }
  /// Whether the answer that was awaited is there. Throws MpiError, Error for what is none.
  bool arrived();
  /// Whether the last answer is of that protocol's channel.
  bool wants(const ProtocolRow& row) const noexcept { return cts.channel == row.id; }
  /// Throws the Error for an answer that cannot be.
  [[noreturn]] void refuse(const char* rule) const;
  /// Where nothing was announced: waits until none can come.
  void cancel();

  int receiver() const noexcept { return receiver_; }
  int tag() const noexcept { return tag_.value(); }
  /// From where answers come, also to fragments; and where the receiver waits for what is sent.
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
