// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/transport.hpp>

#include "transport/message.hpp"
#include "transport/request.hpp"

#include <utility>

namespace typewarp {
namespace {

using transport::Route;
using Operation = Request::Operation;

/// The side of a message that a caller described, with the names that he knows it by.
struct Names {
  const char* call;
  const char* buffer;
  const char* count;
};

struct Peer {
  int rank;
  int tag;
  MPI_Comm comm;
};

std::int64_t packed_bytes(const Names& names, std::int64_t count, const Plan& plan, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) {
    throw InvalidArgument(names.call, "comm", "MPI_COMM_NULL", "must be a communicator");
  }
  if (count < 0) throw InvalidArgument(names.call, names.count, count, "must not be negative");
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count, plan.size(), &bytes)) {
    throw InvalidArgument(names.call, names.count, count,
                          "times the size of the plan's datatype must fit 64 bits");
  }
  return bytes;
}

// Where `stream` runs what it does to the memory of `route`.
int executing_device(const Route& route, Stream stream) {
  const int device = cuda::stream_device(stream);
  return device >= 0 ? device : route.device;
}

std::unique_ptr<Operation> operation(Operation::Direction direction, const Names& names, const void* buffer,
                                     std::int64_t count, const Plan& plan, Stream stream) {
  auto made = std::make_unique<Operation>(direction, plan);
  made->buffer = const_cast<void*>(buffer);  // written by receives only, which were given it writable
  made->count = count;
  made->stream = stream;
  made->route = transport::route(names.call, names.buffer, buffer, count, plan);
  made->device = executing_device(made->route, stream);
  return made;
}

// Packs what `made` sends, unless it is sent in place, and returns where the packed bytes lie, all written.
const std::byte* gather(Operation& made, std::int64_t bytes) {
  if (made.route.in_stream_order) cuda::Event(made.device, made.stream).wait();
  if (made.route.kind == Route::Kind::direct) return made.route.first;
  made.staging = transport::Staging(made.route.kind, bytes);
  pack(made.buffer, made.count, made.plan, made.staging.data(), made.stream);
  if (made.route.kind == Route::Kind::device) cuda::Event(made.device, made.stream).wait();
  return made.staging.data();
}

Request start_send(const Names& names, const void* buffer, std::int64_t count, const Plan& plan,
                   const Peer& peer, Stream stream) {
  std::int64_t bytes = packed_bytes(names, count, plan, peer.comm);
  if (peer.rank == MPI_PROC_NULL) bytes = count = 0;
  auto made = operation(Operation::Direction::send, names, buffer, count, plan, stream);
  made->status.bytes = bytes;
  const std::byte* data = gather(*made, bytes);
  made->handle = transport::start_send(data, bytes, peer.rank, peer.tag, peer.comm);
  return Request(std::move(made));
}

// Where the MPI may write from now on: the buffer itself, unless work in the stream may still be using it.
std::byte* prepare(Operation& made, std::int64_t bytes) {
  if (made.route.in_stream_order) {
    made.turn.emplace(made.device, made.stream);
    if (made.route.kind == Route::Kind::direct && !made.turn->done()) made.route.kind = Route::Kind::host;
  }
  if (made.route.kind == Route::Kind::direct) return made.route.first;
  made.staging = transport::Staging(made.route.kind, bytes);
  return made.staging.data();
}

Request start_receive(const Names& names, void* buffer, std::int64_t count, const Plan& plan,
                      const Peer& peer, Stream stream) {
  std::int64_t bytes = packed_bytes(names, count, plan, peer.comm);
  if (peer.rank == MPI_PROC_NULL) bytes = count = 0;
  auto made = operation(Operation::Direction::receive, names, buffer, count, plan, stream);
  std::byte* data = prepare(*made, bytes);
  made->handle = transport::start_receive(data, bytes, peer.rank, peer.tag, peer.comm);
  return Request(std::move(made));
}

}  // namespace

void send(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag, MPI_Comm comm,
          Stream stream) {
  start_send({"typewarp::send", "buffer", "count"}, buffer, count, plan, {destination, tag, comm}, stream)
      .wait();
}

Status recv(void* buffer, std::int64_t count, const Plan& plan, int source, int tag, MPI_Comm comm,
            Stream stream) {
  return start_receive({"typewarp::recv", "buffer", "count"}, buffer, count, plan, {source, tag, comm},
                       stream)
      .wait();
}

Request isend(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag,
              MPI_Comm comm, Stream stream) {
  return start_send({"typewarp::isend", "buffer", "count"}, buffer, count, plan, {destination, tag, comm},
                    stream);
}

Request irecv(void* buffer, std::int64_t count, const Plan& plan, int source, int tag, MPI_Comm comm,
              Stream stream) {
  return start_receive({"typewarp::irecv", "buffer", "count"}, buffer, count, plan, {source, tag, comm},
                       stream);
}

Status sendrecv(const void* send_buffer, std::int64_t send_count, const Plan& send_plan, int destination,
                int send_tag, void* recv_buffer, std::int64_t recv_count, const Plan& recv_plan, int source,
                int recv_tag, MPI_Comm comm, Stream stream) {
  constexpr const char* call = "typewarp::sendrecv";
  Request receive = start_receive({call, "recv_buffer", "recv_count"}, recv_buffer, recv_count, recv_plan,
                                  {source, recv_tag, comm}, stream);
  Request sending = start_send({call, "send_buffer", "send_count"}, send_buffer, send_count, send_plan,
                               {destination, send_tag, comm}, stream);
  const Status status = receive.wait();
  sending.wait();
  return status;
}

}  // namespace typewarp
