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

/// Where the MPI receives a message: in the user's memory, or in a copy, which a message that is too long
/// cannot overrun.
class Inbox {
 public:
  Inbox& operator=(Inbox&&) = delete;
  ~Inbox() { leave(); }

  /// Makes room for `room` bytes: at `in_place`, unless that is null or another receive may get an
  /// announcement there; else in a copy of this kind. `announced`: whether this receive may get an
  /// announcement.
  void open(std::byte* in_place, std::int64_t room, bool announced, BufferPath::Kind copy);
  /// Posts the receive to the MPI. Throws MpiError.
  void post(const Peer& from);
  /// Receives a message that a probe has found. keep() must follow; nothing is lost if this throws.
  void adopt(const UnexpectedMessage& message);
  void keep(UnexpectedQueue::Place place) noexcept;

  /// Source, tag and bytes of the message, or that it was cancelled; nothing if it has not come yet. Throws
  /// MpiError, and Truncated if the MPI reports that; `bytes` is the room that the user has.
  std::optional<Status> finish(bool block, std::int64_t bytes);
  /// Whether nothing is posted.
  bool idle() const noexcept { return !message_.active() && found_.empty(); }
  void cancel() { message_.cancel(); }
  /// The message has been matched, or never will be: other receives may use the memory.
  void leave() noexcept { guard_.end(); }
  void matched() noexcept {
    if (guard_.is_shared()) looks_before_ = guard_.looks();
  }

  enum class Other {
    none,      ///< no other receive uses this memory
    waits,     ///< another receive into it comes first
    overrides  ///< another receive into it comes later
  };
  /// Whether another receive into the same memory comes before or after this one, which is matched. If both
  /// have the same source and tag, the other was matched first, so its message is there at its next look. If
  /// nothing has come at two looks, the second one after this receive was matched, it may come at any time.
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
