// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The blocking calls for messages.

#include "interpose/core/messages.hpp"

#include "interpose/core/buffers.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/followed.hpp"
#include "interpose/core/job.hpp"
#include "interpose/core/members.hpp"
#include "interpose/core/plans.hpp"
#include "interpose/core/statistics.hpp"
#include "interpose/core/statuses.hpp"
#include "interpose/core/streams.hpp"

#include <typewarp/mpi.hpp>

#include <climits>
#include <utility>

namespace typewarp::interpose {

const Plan& plan_needed(MPI_Datatype datatype) {
  const Plan* const plan = datatype == MPI_DATATYPE_NULL ? nullptr : plan_of(datatype);
  if (plan == nullptr) {
    throw InvalidArgument("typewarp", "datatype", "one without a plan", "must have been committed");
  }
  return *plan;
}

const Plan& bytes_plan() { return plan_needed(MPI_BYTE); }

namespace {

using Kind = transport::Route::Kind;

Kind kind_of_copy(const void* buffer, std::int64_t count, const Plan& plan) {
  if (lies_in_several_memories(buffer, plan)) return Kind::device;
  const Kind kind = transport::route("typewarp", "buf", buffer, count, plan).kind;
  return kind == Kind::device ? Kind::device : Kind::host;
}

}  // namespace

PackedCopy::PackedCopy(const void* buffer, std::int64_t count, const Plan& plan)
    : bytes_(count * plan.size()), memory_(kind_of_copy(buffer, count, plan), bytes_) {
  if (lies_in_several_memories(buffer, plan)) {
    pack_members(count, plan, memory_.data());
  } else {
    pack(buffer, count, plan, memory_.data(), stream());
    wait_for_stream();
  }
}

Request begin_send(Begin begin, const void* buffer, std::int64_t count, const Plan& plan, const End& to) {
  if (!lies_in_several_memories(buffer, plan)) {
    return begin(buffer, count, plan, to.rank, to.tag, to.comm, stream());
  }
  const auto copy = std::make_shared<const PackedCopy>(buffer, count, plan);
  Request message = begin(copy->data(), copy->bytes(), bytes_plan(), to.rank, to.tag, to.comm, stream());
  return followed(std::move(message), to.comm, [copy](const Status&) {});
}

Request begin_receive(void* buffer, std::int64_t count, const Plan& plan, const End& from) {
  if (!lies_in_several_memories(buffer, plan)) {
    return irecv(buffer, count, plan, from.rank, from.tag, from.comm, stream());
  }
  const std::int64_t room = count * plan.size();
  const auto memory = std::make_shared<const transport::Staging>(Kind::device, room);
  Request message = irecv(memory->data(), room, bytes_plan(), from.rank, from.tag, from.comm, stream());
  return followed(std::move(message), from.comm, [memory, plan](const Status& status) {
    unpack_members(memory->data(), status.bytes, plan);
  });
}

void send_buffered(const PackedCopy& copy, int destination, int tag, MPI_Comm comm) {
  make_way();
#if MPI_VERSION >= 4
  mpi::check(PMPI_Bsend_c(copy.data(), copy.bytes(), MPI_PACKED, destination, tag, comm), "MPI_Bsend_c");
#else
  if (copy.bytes() > INT_MAX) {
    throw InvalidArgument("MPI_Bsend", "count", copy.bytes(), "bytes are more than this MPI can buffer");
  }
  mpi::check(PMPI_Bsend(copy.data(), static_cast<int>(copy.bytes()), MPI_PACKED, destination, tag, comm),
             "MPI_Bsend");
#endif
}

namespace {

void send_a_copy(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag,
                 MPI_Comm comm, Stream) {
  send_buffered(PackedCopy(buffer, count, plan), destination, tag, comm);
}

template <int base, auto sends, class Count>
int send_by(const void* buffer, Count count, MPI_Datatype datatype, int destination, int tag,
            MPI_Comm comm) noexcept {
  constexpr int number = twin<Count>(base);
  const Plan* const plan = plan_to_send(buffer, count, datatype, {destination, tag, comm});
  if (plan == nullptr) {
    return next<int(const void*, Count, MPI_Datatype, int, int, MPI_Comm)>(number)(buffer, count, datatype,
                                                                                   destination, tag, comm);
  }
  return guarded(comm, [&] {
    count_taken(number, count * plan->size());
    if (lies_in_several_memories(buffer, *plan)) {
      const PackedCopy copy(buffer, count, *plan);
      sends(copy.data(), copy.bytes(), bytes_plan(), destination, tag, comm, stream());
    } else {
      sends(buffer, count, *plan, destination, tag, comm, stream());
    }
  });
}

template <class Count>
int receive(void* buffer, Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
            MPI_Status* status) noexcept {
  constexpr int number = twin<Count>(call::Recv);
  const Plan* const plan = plan_to_receive(buffer, count, datatype, {source, tag, comm});
  if (plan == nullptr) {
    return next<int(void*, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status*)>(number)(
        buffer, count, datatype, source, tag, comm, status);
  }
  return guarded(comm, [&] {
    count_taken(number, count * plan->size());
    fill(status, lies_in_several_memories(buffer, *plan)
                     ? begin_receive(buffer, count, *plan, {source, tag, comm}).wait()
                     : recv(buffer, count, *plan, source, tag, comm, stream()));
  });
}

void wait_both(Request& receive, Request& sending, MPI_Status* status) {
  fill(status, receive.wait());
  sending.wait();
}

template <class Count>
int send_and_receive(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, int destination,
                     int sendtag, void* recvbuf, Count recvcount, MPI_Datatype recvtype, int source,
                     int recvtag, MPI_Comm comm, MPI_Status* status) noexcept {
  constexpr int number = twin<Count>(call::Sendrecv);
  if (plan_to_send(sendbuf, sendcount, sendtype, {destination, sendtag, comm}) == nullptr &&
      plan_to_receive(recvbuf, recvcount, recvtype, {source, recvtag, comm}) == nullptr) {
    return next<int(const void*, Count, MPI_Datatype, int, int, void*, Count, MPI_Datatype, int, int,
                    MPI_Comm, MPI_Status*)>(number)(sendbuf, sendcount, sendtype, destination, sendtag,
                                                    recvbuf, recvcount, recvtype, source, recvtag, comm,
                                                    status);
  }
  return guarded(comm, [&] {
    const Plan& outgoing = plan_needed(sendtype);
    const Plan& incoming = plan_needed(recvtype);
    count_taken(number, sendcount * outgoing.size());
    Request receive = begin_receive(recvbuf, recvcount, incoming, {source, recvtag, comm});
    Request sending = begin_send(isend, sendbuf, sendcount, outgoing, {destination, sendtag, comm});
    wait_both(receive, sending, status);
  });
}

template <class Count>
int send_and_replace(void* buffer, Count count, MPI_Datatype datatype, int destination, int sendtag,
                     int source, int recvtag, MPI_Comm comm, MPI_Status* status) noexcept {
  constexpr int number = twin<Count>(call::Sendrecv_replace);
  if (plan_to_send(buffer, count, datatype, {destination, sendtag, comm}) == nullptr &&
      plan_to_receive(buffer, count, datatype, {source, recvtag, comm}) == nullptr) {
    return next<int(void*, Count, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status*)>(number)(
        buffer, count, datatype, destination, sendtag, source, recvtag, comm, status);
  }
  return guarded(comm, [&] {
    const Plan& plan = plan_needed(datatype);
    const PackedCopy sent(buffer, count, plan);
    count_taken(number, sent.bytes());
    Request receive = begin_receive(buffer, count, plan, {source, recvtag, comm});
    Request sending = isend(sent.data(), sent.bytes(), bytes_plan(), destination, sendtag, comm, stream());
    wait_both(receive, sending, status);
  });
}

template <int base, auto sends>
void take_send() noexcept {
  take(base, send_by<base, sends, int>);
  take(base + 1, send_by<base, sends, MPI_Count>);
}

}  // namespace

void take_messages() noexcept {
  take_send<call::Send, send>();
  take_send<call::Rsend, send>();
  take_send<call::Ssend, ssend>();
  take_send<call::Bsend, send_a_copy>();
  take(call::Recv, receive<int>);
  take(call::Recv_c, receive<MPI_Count>);
  take(call::Sendrecv, send_and_receive<int>);
  take(call::Sendrecv_c, send_and_receive<MPI_Count>);
  take(call::Sendrecv_replace, send_and_replace<int>);
  take(call::Sendrecv_replace_c, send_and_replace<MPI_Count>);
}

}  // namespace typewarp::interpose
