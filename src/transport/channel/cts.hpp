// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/ring_peers.hpp"
#include "transport/mpi/private_comm.hpp"

#include <optional>

/// The answers to an announcement, at either end.
namespace typewarp::transport {

/// Throws the Error for a sender that says that it has failed.
[[noreturn]] void sender_failed(int sender);

/// At the receiver. Through the ring if the message was announced with one.
class CtsReply {
 public:
  /// `comm` and `rings`, which may be null where no message is announced with a ring, must outlive this.
  CtsReply(const Rts& rts, PrivateComm& comm, const RingPeers* rings)
      : comm_(comm), rings_(rings), sender_(rts.sender), reply_tag_(rts.reply_tag), ring_(rts.ring) {}

  /// A new tag for what the sender sends from the next answer on. Throws Error if all are taken.
  void open_data() { data_tag_ = comm_.tags.take(); }
  /// From where that comes.
  Peer data() const noexcept { return comm_.peer(sender_, data_tag_.value()); }
  /// Must stay where it is from here on, until it has left. Throws MpiError.
  void give(Cts::Code verdict, std::int64_t fragment_bytes = 0);
  bool given() const noexcept { return given_; }
  /// Whether nothing of the last answer is under way.
  bool left() { return posted_.test(); }

  [[noreturn]] void sender_failed() const { transport::sender_failed(sender_); }

 private:
  PrivateComm& comm_;
  const RingPeers* rings_;
  int sender_;
  int reply_tag_;
  Tag data_tag_;
  std::optional<RingKey> ring_;
  bool given_ = false;
  Cts clearance_{};
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
