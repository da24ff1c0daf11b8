// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/transport.hpp>

#include "transport/protocol/blocking.hpp"
#include "transport/protocol/receive.hpp"
#include "transport/protocol/send.hpp"

namespace typewarp {
namespace {

using transport::Begun;
using transport::Names;
using transport::Peer;
using transport::Route;
using transport::SendMode;
using transport::Side;

Begun start_send(const Names& names, const void* buffer, std::int64_t count, const Plan& plan, const Peer& to,
                 Stream stream, SendMode mode = SendMode::standard,
                 const std::optional<Route>& known = std::nullopt) {
  return transport::begin_send(
      Side(names, buffer, count, plan, to.comm, to.rank == MPI_PROC_NULL, stream, known), to, mode);
}

Begun start_receive(const Names& names, void* buffer, std::int64_t count, const Plan& plan, const Peer& from,
                    Stream stream, const std::optional<Route>& known = std::nullopt) {
  return transport::begin_receive(
      Side(names, buffer, count, plan, from.comm, from.rank == MPI_PROC_NULL, stream, known), from);
}

}  // namespace

void send(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag, MPI_Comm comm,
          Stream stream) {
  constexpr Names names{"typewarp::send", "buffer", "count"};
  const Peer to{destination, tag, comm};
  std::optional<Route> known;
  if (transport::send_at_once(names, buffer, count, plan, to, stream, known)) return;
  start_send(names, buffer, count, plan, to, stream, SendMode::standard, known).wait();
}

void ssend(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag, MPI_Comm comm,
           Stream stream) {
  start_send({"typewarp::ssend", "buffer", "count"}, buffer, count, plan, {destination, tag, comm}, stream,
             SendMode::synchronous)
      .wait();
}

Status recv(void* buffer, std::int64_t count, const Plan& plan, int source, int tag, MPI_Comm comm,
            Stream stream) {
  constexpr Names names{"typewarp::recv", "buffer", "count"};
  const Peer from{source, tag, comm};
  std::optional<Route> known;
  const std::optional<Status> status =
      transport::receive_at_once(names, buffer, count, plan, from, stream, known);
  return status ? *status : start_receive(names, buffer, count, plan, from, stream, known).wait();
}

Request isend(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag,
              MPI_Comm comm, Stream stream) {
  return start_send({"typewarp::isend", "buffer", "count"}, buffer, count, plan, {destination, tag, comm},
                    stream)
      .request();
}

Request issend(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag,
               MPI_Comm comm, Stream stream) {
  return start_send({"typewarp::issend", "buffer", "count"}, buffer, count, plan, {destination, tag, comm},
                    stream, SendMode::synchronous)
      .request();
}

Request irecv(void* buffer, std::int64_t count, const Plan& plan, int source, int tag, MPI_Comm comm,
              Stream stream) {
  return start_receive({"typewarp::irecv", "buffer", "count"}, buffer, count, plan, {source, tag, comm},
                       stream)
      .request();
}

Status sendrecv(const void* send_buffer, std::int64_t send_count, const Plan& send_plan, int destination,
                int send_tag, void* recv_buffer, std::int64_t recv_count, const Plan& recv_plan, int source,
                int recv_tag, MPI_Comm comm, Stream stream) {
  constexpr const char* call = "typewarp::sendrecv";
  Request receive = start_receive({call, "recv_buffer", "recv_count"}, recv_buffer, recv_count, recv_plan,
                                  {source, recv_tag, comm}, stream)
                        .request();
  Request sending = start_send({call, "send_buffer", "send_count"}, send_buffer, send_count, send_plan,
                               {destination, send_tag, comm}, stream)
                        .request();
  const Status status = receive.wait();
  sending.wait();
  return status;
}

}  // namespace typewarp
