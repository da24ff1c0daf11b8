// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/api/named_peer.hpp"
#include "transport/protocol/receive.hpp"
#include "transport/protocol/send.hpp"
#include "transport/buffer/message_buffer.hpp"

#include <string>
#include <utility>
#include <vector>

namespace typewarp {

/// What a persistent request starts.
struct Request::Arguments {
  enum class Kind { send, synchronous_send, receive };

  Kind kind;
  transport::MessageBuffer side;
  transport::Peer peer;

  /// The mode of a send.
  transport::SendMode mode() const noexcept {
    return kind == Kind::synchronous_send ? transport::SendMode::synchronous : transport::SendMode::standard;
  }
  /// Starts the message: an active request. Throws MpiError, GpuError.
  Request start() const;
};

namespace {

using transport::MessageBuffer;
using transport::Names;
using transport::Peer;
using transport::SendMode;

using transport::Internal;
using Kind = Internal::Arguments::Kind;

Request make(Kind kind, const char* call, const void* buffer, std::int64_t count, const Plan& plan,
             const Peer& peer, Stream stream) {
  const Names names{call, "buffer", "count"};
  return Internal::request(std::make_shared<const Internal::Arguments>(Internal::Arguments{
      kind, MessageBuffer(names, buffer, count, plan, peer.comm, peer.rank == MPI_PROC_NULL, stream), peer}));
}

void check_startable(const char* call, const std::string& argument, const Request& request) {
  if (!request.persistent()) {
    throw InvalidArgument(call, argument, "not persistent", "must come from send_init or one of its kin");
  }
  if (request.active()) throw InvalidArgument(call, argument, "active", "must be inactive");
}

}  // namespace

Request Request::Arguments::start() const {
  const bool receives = kind == Kind::receive;
  return transport::naming_peer({"typewarp::Request::start", receives ? "source" : "destination"}, peer.rank,
                                peer.tag, [&] {
                                  return receives ? transport::begin_receive(side, peer).request()
                                                  : transport::begin_send(side, peer, mode()).request();
                                });
}

void Request::start() {
  check_startable("typewarp::Request::start", "request", *this);
  operation_ = std::move(arguments_->start().operation_);
}

void start_all(std::span<Request> requests) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    check_startable("typewarp::start_all", "requests[" + std::to_string(i) + "]", requests[i]);
  }
  transport::StreamPoints points;
  std::vector<transport::Sending> sendings;
  std::vector<Request> started;
  sendings.reserve(requests.size());
  for (Request& request : requests) {
    const Request::Arguments& given = *request.arguments_;
    MessageBuffer side = given.side;
    points.give(side);
    if (given.kind == Kind::receive) {
      request.operation_ =
          std::move(transport::begin_receive(std::move(side), given.peer).request().operation_);
    } else {
      sendings.push_back({std::move(side), given.peer, given.mode()});
    }
  }
  const auto hand_over = [&] {
    auto next = started.begin();
    for (Request& request : requests) {
      if (request.arguments_->kind == Kind::receive || next == started.end()) continue;
      request.operation_ = std::move((next++)->operation_);
    }
  };
  try {
    transport::begin_sends(sendings, started);
  } catch (...) {
    hand_over();
    throw;
  }
  hand_over();
}

Request send_init(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag,
                  MPI_Comm comm, Stream stream) {
  return make(Kind::send, "typewarp::send_init", buffer, count, plan, {destination, tag, comm}, stream);
}

Request ssend_init(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag,
                   MPI_Comm comm, Stream stream) {
  return make(Kind::synchronous_send, "typewarp::ssend_init", buffer, count, plan, {destination, tag, comm},
              stream);
}

Request recv_init(void* buffer, std::int64_t count, const Plan& plan, int source, int tag, MPI_Comm comm,
                  Stream stream) {
  return make(Kind::receive, "typewarp::recv_init", buffer, count, plan, {source, tag, comm}, stream);
}

}  // namespace typewarp
