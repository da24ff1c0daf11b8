// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/api/message.hpp"

#include "transport/protocol/receive.hpp"

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
  UnexpectedQueue::Place place(1);
  UnexpectedMessage& found = place.front();
  found.source = MPI_ANY_SOURCE;
  found.tag = MPI_ANY_TAG;
  found.bytes = 0;
  found.message = std::exchange(message, MPI_MESSAGE_NULL);
  return Internal::message(std::make_unique<Internal::Found>(std::move(place)), Status{});
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
