// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The blocking calls for messages.

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/continuation.hpp"
#include "interpose/core/requests/messages.hpp"
#include "interpose/core/requests/results.hpp"

#include <typewarp/completion.hpp>

#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace typewarp::interpose {
namespace {

/// One of the sends of p2p.hpp, as other calls are called like it.
using Send = void(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag,
                  MPI_Comm comm, Stream stream);

template <int base, Send* sends, Begin begin, class Count>
int send_by(const void* buffer, Count count, MPI_Datatype datatype, int destination, int tag,
            MPI_Comm comm) noexcept {
  constexpr int number = twin<Count>(base);
  const auto find = [&] { return data_to_send(buffer, count, datatype, {destination, tag, comm}); };
  const auto act = [&](const Data& data) {
    tell_taken(data.bytes());
    if constexpr (base == call::Bsend) {
      send_buffered(PackedCopy(data), destination, tag, comm);
    } else if (data.is_moved_packed()) {
      begin_send(begin, data, {destination, tag, comm}).wait();
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

/// {receive, send}. Both have one time limit.
void wait_both(std::span<Request> messages, MPI_Status* status) {
  fill_by(status, [&] { return wait_all(messages).front(); });
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
    wait_both(messages, status);
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
    const auto sent = std::make_shared<const PackedCopy>(data);
    tell_taken(sent->bytes());
    std::array messages{begin_receive(data, {source, recvtag, comm}), Request()};
    const auto begin = [&] {
      return isend(sent->data(), sent->bytes(), bytes_plan(), destination, sendtag, comm, data.stream);
    };
    messages[1] = continued(begin, comm, [sent](const Status&, Moves&) {});
    wait_both(messages, status);
  };
  return guarded_if(comm, find, act, [&] {
    return hand_on(number, buffer, count, datatype, destination, sendtag, source, recvtag, comm, status);
  });
}

template <int base, Send* sends, Begin begin>
void take_send() noexcept {
  take(base, send_by<base, sends, begin, int>);
  take(base + 1, send_by<base, sends, begin, MPI_Count>);
}

}  // namespace

void take_messages() noexcept {
  take_send<call::Send, send, isend>();
  take_send<call::Rsend, send, isend>();
  take_send<call::Ssend, ssend, issend>();
  take_send<call::Bsend, nullptr, nullptr>();
  take(call::Recv, receive<int>);
  take(call::Recv_c, receive<MPI_Count>);
  take(call::Sendrecv, send_and_receive<int>);
  take(call::Sendrecv_c, send_and_receive<MPI_Count>);
  take(call::Sendrecv_replace, send_and_replace<int>);
  take(call::Sendrecv_replace_c, send_and_replace<MPI_Count>);
}

}  // namespace typewarp::interpose
