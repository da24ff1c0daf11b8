// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/p2p.hpp>

#include <memory>
#include <optional>

namespace typewarp {

/// What of a message can be received now: who sent it, its tag and its bytes; nothing if there is none. A
/// receive that is posted by no other thread meanwhile then gets just this message. A message that has been
/// probed must be received by this library, with the Session, if any, that lived then; while a Session
/// lives, so must messages of any tag that its source sent before, on that communicator.
[[nodiscard]] std::optional<Status> iprobe(int source, int tag, MPI_Comm comm);
/// Waits for a message. Throws TimeLimitExceeded where that takes longer than the Session waits.
Status probe(int source, int tag, MPI_Comm comm);

/// A message that a probe has taken out of MPI's matching: only whoever has this receives it (MPI_Message).
/// Move-only. A message must be received before this goes.
class Message {
 public:
  Message() noexcept;
  Message(Message&&) noexcept;
  Message& operator=(Message&&) noexcept;
  ~Message();

  /// What can be received.
  const Status& status() const noexcept { return status_; }
  /// Whether it holds no message, as when that has been received.
  bool empty() const noexcept { return state_ == nullptr; }

 private:
  friend struct transport::Internal;
  friend Request imrecv(void*, std::int64_t, const Plan&, Message&&, MPI_Comm, Stream);

  struct State;
  Message(std::unique_ptr<State> state, const Status& status) noexcept;

  std::unique_ptr<State> state_;
  Status status_;
};
/// Takes what iprobe() would find, or nothing. What was taken while a Session lived must be received while
/// it lives.
[[nodiscard]] std::optional<Message> improbe(int source, int tag, MPI_Comm comm);
/// The same, and takes the message.
Message mprobe(int source, int tag, MPI_Comm comm);
/// As irecv(), of a message that was matched on `comm`. Throws InvalidArgument for an empty one. `message` is
/// empty afterwards, unless this throws: then it is still to be received.
[[nodiscard]] Request imrecv(void* buffer, std::int64_t count, const Plan& plan, Message&& message,
                             MPI_Comm comm, Stream stream = {});

}  // namespace typewarp
