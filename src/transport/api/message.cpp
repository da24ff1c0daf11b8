// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/api/message.hpp"

#include "transport/protocol/receive.hpp"
#include "transport/session.hpp"

#include <exception>
#include <mutex>
#include <utility>

namespace typewarp {

using transport::MessageBuffer;
using transport::Names;
using transport::UnexpectedMessage;
using transport::UnexpectedQueue;

Message::Message() noexcept = default;
Message::Message(Message&&) noexcept = default;
Message& Message::operator=(Message&&) noexcept = default;
Message::~Message() = default;
Message::Message(std::unique_ptr<State> state, const Status& status) noexcept
    : state_(std::move(state)), status_(status) {}

Message transport::Internal::message(std::unique_ptr<Found> found, const Status& status) noexcept {
  return {std::move(found), status};
}

Message transport::adopt(MPI_Message& message) {
  if (message == MPI_MESSAGE_NULL) {
    throw InvalidArgument("typewarp::transport::adopt", "message", "MPI_MESSAGE_NULL", "must be a message");
  }
  auto place = std::make_unique<Internal::Found>(UnexpectedQueue::Place(1));
  UnexpectedMessage& found = place->found.front();
  found.source = MPI_ANY_SOURCE;
  found.tag = MPI_ANY_TAG;
  found.bytes = 0;
  found.message = std::exchange(message, MPI_MESSAGE_NULL);  // when nothing can fail any more
  return Internal::message(std::move(place), Status{});
}

MPI_Message transport::given_back(Message&& message) noexcept {
  Message taken = std::move(message);
  return std::exchange(Internal::found(taken).found.front().message, MPI_MESSAGE_NULL);
}

void transport::put_back(Message&& message, MPI_Comm comm) noexcept {
  Message taken = std::move(message);
  try {
    const std::shared_ptr<CommState> state = current()->comms.of(comm);
    const std::lock_guard lock(state->mutex);
    state->pending.put_back(std::move(Internal::found(taken).found));
  } catch (const std::exception&) {
    return;  // without its communicator's state nobody would find it
  }
}

Request imrecv(void* buffer, std::int64_t count, const Plan& plan, Message&& message, MPI_Comm comm,
               Stream stream) {
  if (message.empty()) {
    throw InvalidArgument("typewarp::imrecv", "message", "an empty one", "must come from improbe or mprobe");
  }
  constexpr bool nobody = false;
  const Names names{"typewarp::imrecv", "buffer", "count"};
  transport::Begun begun =
      transport::receive_found(MessageBuffer(names, buffer, count, plan, comm, nobody, stream), comm,
                               std::move(message.state_->found));
  message.state_.reset();
  return std::move(begun).request();
}

}  // namespace typewarp
