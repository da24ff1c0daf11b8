// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The blocking calls for messages one way.

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/messages.hpp"
#include "interpose/core/requests/results.hpp"

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
}

}  // namespace typewarp::interpose
