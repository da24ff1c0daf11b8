// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The calls that start messages, those that make persistent requests of them, and those that send and
// receive.

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/requests/continuation.hpp"
#include "interpose/core/requests/messages.hpp"
#include "interpose/core/requests/operations.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/results.hpp"

#include <typewarp/completion.hpp>

#include <dlfcn.h>

namespace typewarp::interpose {
namespace {

using Messages = std::vector<Request>;

/// What becomes of a message that a call stands for: it is started at once ...
struct Started {
  template <class Start>
  static MPI_Request request(MPI_Comm comm, const Start& start) {
    return operations().add_started(comm, start);
  }
};
/// ... or whenever its request is.
struct PersistentRequest {
  template <class Start>
  static MPI_Request request(MPI_Comm comm, const Start& start) {
    return operations().add_persistent(comm, start);
  }
};

// Complete at once: the MPI has a copy.
Request begin_a_copy(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag,
                     MPI_Comm comm, Stream stream) {
  send_buffered(PackedCopy({const_cast<void*>(buffer), count, plan, nullptr, stream}), destination, tag,
                comm);
  return isend(nullptr, 0, bytes_plan(), MPI_PROC_NULL, 0, comm, stream);
}

template <int base, Begin begin, class Becomes, class Count>
int make_send(const void* buffer, Count count, MPI_Datatype datatype, int destination, int tag, MPI_Comm comm,
              MPI_Request* request) noexcept {
  constexpr int number = twin<Count>(base);
  const End to{destination, tag, comm};
  const auto act = [&](const Data& data) {
    tell_taken(data.bytes());
    *request =
        Becomes::request(comm, [data, to] { return one_begun([&] { return begin_send(begin, data, to); }); });
  };
  return guarded_if(
      comm, [&] { return data_to_send(buffer, count, datatype, to); }, act,
      [&] { return hand_on(number, buffer, count, datatype, destination, tag, comm, request); });
}

/// The call is the MPI's, which may make a request of it.
template <class... Arguments>
int leave(Posting&, MPI_Status* status, int number, Arguments... arguments) noexcept {
  return hand_on(number, arguments..., status);
}
template <class... Arguments>
int leave(Posting& posting, MPI_Request* request, int number, Arguments... arguments) noexcept {
  preset(request, MPI_REQUEST_NULL);
  const int code = hand_on(number, arguments..., request);
  if (code == MPI_SUCCESS) posting.left(result(request, MPI_REQUEST_NULL));
  return code;
}

template <int base, class Becomes, class Count>
int make_receive(void* buffer, Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                 MPI_Request* request) noexcept {
  constexpr int number = twin<Count>(base);
  const End from{source, tag, comm};
  Posting posting;
  const auto act = [&](const Data& data) {
    tell_taken(data.bytes());
    *request =
        Becomes::request(comm, [data, from] { return one_begun([&] { return begin_receive(data, from); }); });
  };
  return guarded_if(
      comm, [&] { return data_to_receive(buffer, count, datatype, from, posting); }, act,
      [&] { return leave(posting, request, number, buffer, count, datatype, source, tag, comm); });
}

/// Whether the MPI has MPI_Isendrecv and its kin, which came with MPI 4. Where it has not, they are ours
/// whatever the memory: programs find them, since this library exports them.
bool mpi_sends_and_receives() noexcept {
  static const bool found = dlsym(RTLD_DEFAULT, "PMPI_Isendrecv") != nullptr;
  return found;
}

/// {receive, send} of a call that blocks, which have one time limit, or of one that does not.
void make_both(FunctionRef<Messages()> begin, MPI_Comm, MPI_Status* status) {
  Messages both = begin();
  fill_by(status, [&] { return wait_all(both).front(); });
}
void make_both(FunctionRef<Messages()> begin, MPI_Comm comm, MPI_Request* request) {
  *request = operations().add_started(comm, begin);
}

/// Whether the MPI has a call that ends so.
bool mpi_has_it(const MPI_Status*) noexcept { return true; }
bool mpi_has_it(const MPI_Request*) noexcept { return mpi_sends_and_receives(); }

/// `Last` is of a call that blocks, MPI_Status, or of one that does not, MPI_Request.
template <int base, class Last, class Count>
int send_and_receive(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, int destination,
                     int sendtag, void* recvbuf, Count recvcount, MPI_Datatype recvtype, int source,
                     int recvtag, MPI_Comm comm, Last* last) noexcept {
  constexpr int number = twin<Count>(base);
  Posting posting;
  const BothMessages::Side sent{sendbuf, sendcount, sendtype, {destination, sendtag, comm}};
  const BothMessages::Side received{recvbuf, recvcount, recvtype, {source, recvtag, comm}};
  const auto find = [&] {
    return mpi_has_it(last) ? BothMessages::if_any_is_ours(sent, received, posting)
                            : std::optional(BothMessages(sent, received, posting));
  };
  const auto act = [&](const BothMessages& both) { make_both([&] { return both.begin(); }, comm, last); };
  return guarded_if(comm, find, act, [&] {
    return leave(posting, last, number, sendbuf, sendcount, sendtype, destination, sendtag, recvbuf,
                 recvcount, recvtype, source, recvtag, comm);
  });
}

template <int base, class Last, class Count>
int send_and_replace(void* buffer, Count count, MPI_Datatype datatype, int destination, int sendtag,
                     int source, int recvtag, MPI_Comm comm, Last* last) noexcept {
  constexpr int number = twin<Count>(base);
  Posting posting;
  const auto find = [&] {
    std::optional<Data> data = data_to_replace(buffer, count, datatype, {destination, sendtag, comm},
                                               {source, recvtag, comm}, posting);
    if (!data && !mpi_has_it(last)) data = data_needed(buffer, count, datatype, comm);
    return data;
  };
  const auto act = [&](const Data& data) {
    posting.end();
    const auto sent = std::make_shared<const PackedCopy>(data);
    tell_taken(sent->bytes());
    const auto begin = [&] {
      return isend(sent->data(), sent->bytes(), bytes_plan(), destination, sendtag, comm, data.stream);
    };
    const auto begin_both = [&] {
      Messages messages;
      messages.reserve(2);
      messages.push_back(begin_receive(data, {source, recvtag, comm}));
      messages.push_back(continued(begin, comm, [sent](const Status&, Moves&) {}));
      return messages;
    };
    make_both(begin_both, comm, last);
  };
  return guarded_if(comm, find, act, [&] {
    return leave(posting, last, number, buffer, count, datatype, destination, sendtag, source, recvtag, comm);
  });
}

template <int base, Begin begin, class Becomes>
void take_send() noexcept {
  take<base, make_send<base, begin, Becomes, int>>();
  take<base + 1, make_send<base, begin, Becomes, MPI_Count>>();
}

template <int base, class Becomes>
void take_receive() noexcept {
  take<base, make_receive<base, Becomes, int>>();
  take<base + 1, make_receive<base, Becomes, MPI_Count>>();
}

template <int base, int replacing, class Last>
void take_both_ways() noexcept {
  take<base, send_and_receive<base, Last, int>>();
  take<base + 1, send_and_receive<base, Last, MPI_Count>>();
  take<replacing, send_and_replace<replacing, Last, int>>();
  take<replacing + 1, send_and_replace<replacing, Last, MPI_Count>>();
}

}  // namespace

void take_requests() noexcept {
  take_send<call::Isend, isend, Started>();
  take_send<call::Irsend, isend, Started>();
  take_send<call::Issend, issend, Started>();
  take_send<call::Ibsend, begin_a_copy, Started>();
  take_receive<call::Irecv, Started>();
  take_send<call::Send_init, isend, PersistentRequest>();
  take_send<call::Rsend_init, isend, PersistentRequest>();
  take_send<call::Ssend_init, issend, PersistentRequest>();
  take_send<call::Bsend_init, begin_a_copy, PersistentRequest>();
  take_receive<call::Recv_init, PersistentRequest>();
  take_both_ways<call::Sendrecv, call::Sendrecv_replace, MPI_Status>();
  take_both_ways<call::Isendrecv, call::Isendrecv_replace, MPI_Request>();
}

}  // namespace typewarp::interpose
