// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The calls that start messages, and those that make persistent requests of them.

#include "interpose/core/buffers.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/messages.hpp"
#include "interpose/core/operations.hpp"
#include "interpose/core/statistics.hpp"
#include "interpose/core/streams.hpp"

#include <utility>

namespace typewarp::interpose {
namespace {

using Messages = std::vector<Request>;

Messages one(Request message) {
  Messages messages;
  messages.push_back(std::move(message));
  return messages;
}

// Complete at once: the MPI has a copy.
Request begin_a_copy(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag,
                     MPI_Comm comm, Stream) {
  send_buffered(PackedCopy(buffer, count, plan), destination, tag, comm);
  return isend(nullptr, 0, bytes_plan(), MPI_PROC_NULL, 0, comm, stream());
}

template <int base, Begin begin, class Count>
int start_send(const void* buffer, Count count, MPI_Datatype datatype, int destination, int tag,
               MPI_Comm comm, MPI_Request* request) noexcept {
  constexpr int number = twin<Count>(base);
  const Plan* const plan = plan_to_send(buffer, count, datatype, {destination, tag, comm});
  if (plan == nullptr) {
    return next<int(const void*, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)>(number)(
        buffer, count, datatype, destination, tag, comm, request);
  }
  return guarded(comm, [&] {
    count_taken(number, count * plan->size());
    *request = operations().add(comm, one(begin_send(begin, buffer, count, *plan, {destination, tag, comm})));
  });
}

template <class Count>
int start_receive(void* buffer, Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                  MPI_Request* request) noexcept {
  constexpr int number = twin<Count>(call::Irecv);
  const Plan* const plan = plan_to_receive(buffer, count, datatype, {source, tag, comm});
  if (plan == nullptr) {
    return next<int(void*, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)>(number)(
        buffer, count, datatype, source, tag, comm, request);
  }
  return guarded(comm, [&] {
    count_taken(number, count * plan->size());
    *request = operations().add(comm, one(begin_receive(buffer, count, *plan, {source, tag, comm})));
  });
}

template <class Count>
int start_both(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, int destination, int sendtag,
               void* recvbuf, Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
               MPI_Request* request) noexcept {
  constexpr int number = twin<Count>(call::Isendrecv);
  if (plan_to_send(sendbuf, sendcount, sendtype, {destination, sendtag, comm}) == nullptr &&
      plan_to_receive(recvbuf, recvcount, recvtype, {source, recvtag, comm}) == nullptr) {
    return next<int(const void*, Count, MPI_Datatype, int, int, void*, Count, MPI_Datatype, int, int,
                    MPI_Comm, MPI_Request*)>(number)(sendbuf, sendcount, sendtype, destination, sendtag,
                                                     recvbuf, recvcount, recvtype, source, recvtag, comm,
                                                     request);
  }
  return guarded(comm, [&] {
    const Plan& outgoing = plan_needed(sendtype);
    const Plan& incoming = plan_needed(recvtype);
    count_taken(number, sendcount * outgoing.size());
    Messages messages = one(begin_receive(recvbuf, recvcount, incoming, {source, recvtag, comm}));
    messages.push_back(begin_send(isend, sendbuf, sendcount, outgoing, {destination, sendtag, comm}));
    *request = operations().add(comm, std::move(messages));
  });
}

template <class Count>
int start_replacing(void* buffer, Count count, MPI_Datatype datatype, int destination, int sendtag,
                    int source, int recvtag, MPI_Comm comm, MPI_Request* request) noexcept {
  constexpr int number = twin<Count>(call::Isendrecv_replace);
  if (plan_to_send(buffer, count, datatype, {destination, sendtag, comm}) == nullptr &&
      plan_to_receive(buffer, count, datatype, {source, recvtag, comm}) == nullptr) {
    return next<int(void*, Count, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Request*)>(number)(
        buffer, count, datatype, destination, sendtag, source, recvtag, comm, request);
  }
  return guarded(comm, [&] {
    const Plan& plan = plan_needed(datatype);
    const auto sent = std::make_shared<const PackedCopy>(buffer, count, plan);
    count_taken(number, sent->bytes());
    Messages messages = one(begin_receive(buffer, count, plan, {source, recvtag, comm}));
    messages.push_back(
        isend(sent->data(), sent->bytes(), bytes_plan(), destination, sendtag, comm, stream()));
    *request = operations().add(comm, std::move(messages), sent);
  });
}

template <int base, Begin begin, class Count>
int make_send(const void* buffer, Count count, MPI_Datatype datatype, int destination, int tag, MPI_Comm comm,
              MPI_Request* request) noexcept {
  constexpr int number = twin<Count>(base);
  const Plan* const plan = plan_to_send(buffer, count, datatype, {destination, tag, comm});
  if (plan == nullptr) {
    return next<int(const void*, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)>(number)(
        buffer, count, datatype, destination, tag, comm, request);
  }
  return guarded(comm, [&] {
    count_taken(number, count * plan->size());
    *request = operations().add_persistent(comm, [=, plan = *plan] {
      return one(begin_send(begin, buffer, count, plan, {destination, tag, comm}));
    });
  });
}

template <class Count>
int make_receive(void* buffer, Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                 MPI_Request* request) noexcept {
  constexpr int number = twin<Count>(call::Recv_init);
  const Plan* const plan = plan_to_receive(buffer, count, datatype, {source, tag, comm});
  if (plan == nullptr) {
    return next<int(void*, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)>(number)(
        buffer, count, datatype, source, tag, comm, request);
  }
  return guarded(comm, [&] {
    count_taken(number, count * plan->size());
    *request = operations().add_persistent(
        comm, [=, plan = *plan] { return one(begin_receive(buffer, count, plan, {source, tag, comm})); });
  });
}

template <int base, Begin begin>
void take_start() noexcept {
  take(base, start_send<base, begin, int>);
  take(base + 1, start_send<base, begin, MPI_Count>);
}

template <int base, Begin begin>
void take_make() noexcept {
  take(base, make_send<base, begin, int>);
  take(base + 1, make_send<base, begin, MPI_Count>);
}

}  // namespace

void take_requests() noexcept {
  take_start<call::Isend, isend>();
  take_start<call::Irsend, isend>();
  take_start<call::Issend, issend>();
  take_start<call::Ibsend, begin_a_copy>();
  take(call::Irecv, start_receive<int>);
  take(call::Irecv_c, start_receive<MPI_Count>);
  take(call::Isendrecv, start_both<int>);
  take(call::Isendrecv_c, start_both<MPI_Count>);
  take(call::Isendrecv_replace, start_replacing<int>);
  take(call::Isendrecv_replace_c, start_replacing<MPI_Count>);
  take_make<call::Send_init, isend>();
  take_make<call::Rsend_init, isend>();
  take_make<call::Ssend_init, issend>();
  take_make<call::Bsend_init, begin_a_copy>();
  take(call::Recv_init, make_receive<int>);
  take(call::Recv_init_c, make_receive<MPI_Count>);
}

}  // namespace typewarp::interpose
