// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/p2p.hpp>

#include "transport/api/blocking.hpp"
#include "transport/api/named_peer.hpp"
#include "transport/protocol/receive.hpp"
#include "transport/protocol/send.hpp"

#include <utility>

namespace typewarp {
namespace {

using transport::MessageBuffer;
using transport::Names;
using transport::naming_peer;
using transport::Peer;
using transport::SendMode;

transport::Begun start_send(const Names& names, const void* buffer, std::int64_t count, const Plan& plan,
                            const Peer& to, Stream stream, SendMode mode = SendMode::standard) {
  return transport::begin_send(
      MessageBuffer(names, buffer, count, plan, to.comm, to.rank == MPI_PROC_NULL, stream), to, mode);
}

transport::Begun start_receive(const Names& names, void* buffer, std::int64_t count, const Plan& plan,
                               const Peer& from, Stream stream) {
  return transport::begin_receive(
      MessageBuffer(names, buffer, count, plan, from.comm, from.rank == MPI_PROC_NULL, stream), from);
}

}  // namespace

void send(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag, MPI_Comm comm,
          Stream stream) {
  const Peer to{destination, tag, comm};
  MessageBuffer side({"typewarp::send", "buffer", "count"}, buffer, count, plan, comm,
                     destination == MPI_PROC_NULL, stream);
  naming_peer({"typewarp::send", "destination"}, destination, tag,
              [&] { transport::send_blocking(std::move(side), to); });
}

void ssend(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag, MPI_Comm comm,
           Stream stream) {
  naming_peer({"typewarp::ssend", "destination"}, destination, tag, [&] {
    start_send({"typewarp::ssend", "buffer", "count"}, buffer, count, plan, {destination, tag, comm}, stream,
               SendMode::synchronous)
        .wait();
  });
}

Status recv(void* buffer, std::int64_t count, const Plan& plan, int source, int tag, MPI_Comm comm,
            Stream stream) {
  const Peer from{source, tag, comm};
  MessageBuffer side({"typewarp::recv", "buffer", "count"}, buffer, count, plan, comm,
                     source == MPI_PROC_NULL, stream);
  return naming_peer({"typewarp::recv", "source"}, source, tag, [&] {
    const std::optional<Status> status = transport::receive_at_once(side, from);
    return status ? *status : transport::begin_receive(std::move(side), from).wait();
  });
}

Request isend(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag,
              MPI_Comm comm, Stream stream) {
  return naming_peer({"typewarp::isend", "destination"}, destination, tag, [&] {
    return start_send({"typewarp::isend", "buffer", "count"}, buffer, count, plan, {destination, tag, comm},
                      stream)
        .request();
  });
}

Request issend(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag,
               MPI_Comm comm, Stream stream) {
  return naming_peer({"typewarp::issend", "destination"}, destination, tag, [&] {
    return start_send({"typewarp::issend", "buffer", "count"}, buffer, count, plan, {destination, tag, comm},
                      stream, SendMode::synchronous)
        .request();
  });
}

Request irecv(void* buffer, std::int64_t count, const Plan& plan, int source, int tag, MPI_Comm comm,
              Stream stream) {
  return naming_peer({"typewarp::irecv", "source"}, source, tag, [&] {
    return start_receive({"typewarp::irecv", "buffer", "count"}, buffer, count, plan, {source, tag, comm},
                         stream)
        .request();
  });
}

Status sendrecv(const void* send_buffer, std::int64_t send_count, const Plan& send_plan, int destination,
                int send_tag, void* recv_buffer, std::int64_t recv_count, const Plan& recv_plan, int source,
                int recv_tag, MPI_Comm comm, Stream stream) {
  constexpr const char* call = "typewarp::sendrecv";
  Request receive = naming_peer({call, "source", "recv_tag"}, source, recv_tag, [&] {
    return start_receive({call, "recv_buffer", "recv_count"}, recv_buffer, recv_count, recv_plan,
                         {source, recv_tag, comm}, stream)
        .request();
  });
  Request sending = naming_peer({call, "destination", "send_tag"}, destination, send_tag, [&] {
    return start_send({call, "send_buffer", "send_count"}, send_buffer, send_count, send_plan,
                      {destination, send_tag, comm}, stream)
        .request();
  });
  const Status status = receive.wait();
  sending.wait();
  return status;
}

}  // namespace typewarp
