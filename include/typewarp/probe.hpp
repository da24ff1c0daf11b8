// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/p2p.hpp>

#include <memory>
#include <optional>

namespace typewarp {

/// The source, tag and bytes of a message that can be received now; nothing if there is none. The next
/// matching receive gets this message, unless another thread posts one first. A message that has been probed
/// must be received by this library, during the same Session if there is one; while a Session lives, that
/// also holds for all messages that its source sent before it on that communicator, with any tag.
[[nodiscard]] std::optional<Status> iprobe(int source, int tag, MPI_Comm comm);
/// Waits for a message. Throws TimeLimitExceeded if that takes longer than the Session's time limit.
Status probe(int source, int tag, MPI_Comm comm);

/// A message that a probe has taken out of MPI's matching: only the owner of this object can receive it
/// (MPI_Message). Move-only. The message must be received before this object is destroyed.
class Message {
 public:
  Message() noexcept;
  Message(Message&&) noexcept;
  Message& operator=(Message&&) noexcept;
  ~Message();

  /// What can be received.
  const Status& status() const noexcept { return status_; }
  /// Whether it holds no message, for instance because that has been received.
  bool empty() const noexcept { return state_ == nullptr; }

 private:
  friend struct transport::Internal;
  friend Request imrecv(void*, std::int64_t, const Plan&, Message&&, MPI_Comm, Stream);

  struct State;
  Message(std::unique_ptr<State> state, const Status& status) noexcept;

  std::unique_ptr<State> state_;
  Status status_;
};
/// Takes the message that iprobe() would find, if any. If it was taken while a Session lives, it must be
/// received while that lives.
[[nodiscard]] std::optional<Message> improbe(int source, int tag, MPI_Comm comm);
/// The same, and takes the message.
Message mprobe(int source, int tag, MPI_Comm comm);
/// As irecv(), of a message that was matched on `comm`. Throws InvalidArgument if `message` is empty. It is
/// empty afterwards, unless this throws: then the message has yet to be received.
[[nodiscard]] Request imrecv(void* buffer, std::int64_t count, const Plan& plan, Message&& message,
                             MPI_Comm comm, Stream stream = {});

}  // namespace typewarp
