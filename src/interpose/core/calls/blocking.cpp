// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The blocking calls for messages.

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/messages.hpp"
#include "interpose/core/requests/statuses.hpp"

namespace typewarp::interpose {
namespace {

void send_a_copy(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag,
                 MPI_Comm comm, Stream stream) {
  send_buffered(PackedCopy({const_cast<void*>(buffer), count, plan, nullptr, stream}), destination, tag,
                comm);
}

/// One of the sends of p2p.hpp, as other calls are called like it.
using Send = void(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag,
                  MPI_Comm comm, Stream stream);

template <int base, Send* sends, class Count>
int send_by(const void* buffer, Count count, MPI_Datatype datatype, int destination, int tag,
            MPI_Comm comm) noexcept {
  constexpr int number = twin<Count>(base);
  const auto find = [&] { return data_to_send(buffer, count, datatype, {destination, tag, comm}); };
  const auto act = [&](const Data& data) {
    tell_taken(data.bytes());
    if (data.is_moved_packed()) {
      const PackedCopy copy(data);
      sends(copy.data(), copy.bytes(), bytes_plan(), destination, tag, comm, data.stream);
    } else {
      sends(buffer, count, data.plan, destination, tag, comm, data.stream);
    }
  };
  return guarded_if(comm, find, act,
                    [&] { return hand_on(number, buffer, count, datatype, destination, tag, comm); });
}

template <class Count>
int receive(void* buffer, Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
            MPI_Status* status) noexcept {
  constexpr int number = twin<Count>(call::Recv);
  Posting posting;
  const auto find = [&] { return data_to_receive(buffer, count, datatype, {source, tag, comm}, posting); };
  const auto act = [&](const Data& data) {
    tell_taken(data.bytes());
    fill_by(status, [&] {
      return data.is_moved_packed() ? begin_receive(data, {source, tag, comm}).wait()
                                    : recv(buffer, count, data.plan, source, tag, comm, data.stream);
    });
  };
  return guarded_if(comm, find, act,
                    [&] { return hand_on(number, buffer, count, datatype, source, tag, comm, status); });
}

void wait_both(Request& receive, Request& sending, MPI_Status* status) {
  fill_by(status, [&] { return receive.wait(); });
  sending.wait();
}

template <class Count>
int send_and_receive(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, int destination,
                     int sendtag, void* recvbuf, Count recvcount, MPI_Datatype recvtype, int source,
                     int recvtag, MPI_Comm comm, MPI_Status* status) noexcept {
  constexpr int number = twin<Count>(call::Sendrecv);
  Posting posting;
  const auto find = [&] {
    return BothMessages::if_any_is_ours({sendbuf, sendcount, sendtype, {destination, sendtag, comm}},
                                        {recvbuf, recvcount, recvtype, {source, recvtag, comm}}, posting);
  };
  const auto act = [&](const BothMessages& both) {
    std::vector<Request> messages = both.begin();
    wait_both(messages.front(), messages.back(), status);
  };
  return guarded_if(comm, find, act, [&] {
    return hand_on(number, sendbuf, sendcount, sendtype, destination, sendtag, recvbuf, recvcount, recvtype,
                   source, recvtag, comm, status);
  });
}

template <class Count>
int send_and_replace(void* buffer, Count count, MPI_Datatype datatype, int destination, int sendtag,
                     int source, int recvtag, MPI_Comm comm, MPI_Status* status) noexcept {
  constexpr int number = twin<Count>(call::Sendrecv_replace);
  Posting posting;
  const auto find = [&] {
    return data_to_replace(buffer, count, datatype, {destination, sendtag, comm}, {source, recvtag, comm},
                           posting);
  };
  const auto act = [&](const Data& data) {
    const PackedCopy sent(data);
    tell_taken(sent.bytes());
    Request receive = begin_receive(data, {source, recvtag, comm});
    Request sending = isend(sent.data(), sent.bytes(), bytes_plan(), destination, sendtag, comm, data.stream);
    wait_both(receive, sending, status);
  };
  return guarded_if(comm, find, act, [&] {
    return hand_on(number, buffer, count, datatype, destination, sendtag, source, recvtag, comm, status);
  });
}

template <int base, Send* sends>
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
