// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/buffer/staging.hpp"
#include "transport/mpi/receive_alias_guard.hpp"
#include "transport/mpi/point_to_point.hpp"
#include "transport/mpi/unexpected_queue.hpp"

#include <typewarp/request.hpp>

#include <optional>

namespace typewarp::transport {

/// Where the MPI receives a message: the user's memory, or a copy that a message which is too long for it
/// cannot overrun. Until the message is matched; then the copy until it is unpacked.
class Inbox {
 public:
  Inbox() = default;
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;
  ~Inbox() { leave(); }

  /// Room for `room` bytes at `in_place`, if that is not null, and no other receive may get an announcement
  /// there, as this one may (`announced`). Else in a copy of this kind.
  void open(std::byte* in_place, std::int64_t room, bool announced, BufferPath::Kind copy);
  /// Posts the receive to the MPI. Throws MpiError.
  void post(const Peer& from);
  /// Takes what a probe has found, of which the place is still to be given: nothing is lost if this throws.
  void adopt(const UnexpectedMessage& message);
  void keep(UnexpectedQueue::Place place) noexcept;

  /// What has come: source, tag, bytes, or that it was cancelled; nothing if nothing is there yet. Throws
  /// MpiError; Truncated, where the MPI says that there is no room, for a user who has some for `bytes`.
  std::optional<Status> finish(bool block, std::int64_t bytes);
  /// Whether this waits for nothing of the MPI's.
  bool idle() const noexcept { return !message_.active() && found_.empty(); }
  void cancel() { message_.cancel(); }
  /// It has been matched, or never will be: others may use the memory.
  void leave() noexcept { guard_.end(); }
  void matched() noexcept {
    if (guard_.is_shared()) looks_before_ = guard_.looks();
  }

  enum class Other {
    none,      ///< the memory is this receive's
    waits,     ///< another receive into it comes first
    overrides  ///< another receive into it will come later
  };
  /// What of another receive into this memory has to be thought of, once this one is matched. Of one source
  /// and tag it was matched before this one, so it reads its message when it is looked at. If nothing has
  /// come for it at two looks, of which the second began after this one was matched, it may be matched at any
  /// time.
  Other other();

  std::byte* data() const noexcept { return data_; }
  bool is_copy() const noexcept { return staging_.data() != nullptr; }
  void drop_copy() { staging_ = Staging(); }

 private:
  std::optional<Status> finish_found(bool block);

  std::int64_t room_ = 0;
  std::byte* data_ = nullptr;
  Staging staging_;
  Posted message_;
  UnexpectedQueue::Place found_;  ///< the message, if a probe received it
  ReceiveAliasGuard guard_;       ///< its own where it is received in place, else perhaps another receive's
  unsigned looks_before_ = 0;     ///< at that one, when this one was matched
  bool has_its_turn_ = false;     ///< nothing of another receive has to be thought of any more
};

}  // namespace typewarp::transport
