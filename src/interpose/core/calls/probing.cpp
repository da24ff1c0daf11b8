// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The probes, which must not see a descriptor for a message, and the receives of what they have matched.

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/comm_settings.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/job/rts_readiness.hpp"
#include "interpose/core/requests/messages.hpp"
#include "interpose/core/requests/operations.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/results.hpp"
#include "transport/handle/internal.hpp"

#include <utility>

namespace typewarp::interpose {
namespace {

bool is_ours(const End& from, Posting& posting) noexcept {
  const bool ours = probes_are_ours() && is_source(from);
  if (ours) posting.end();
  return ours;
}

int probe(int source, int tag, MPI_Comm comm, MPI_Status* status) noexcept {
  Posting posting;
  if (!is_ours({source, tag, comm}, posting)) {
    return hand_on(call::Probe, source, tag, comm, status);
  }
  return guarded(comm, [&] { fill(status, typewarp::probe(source, tag, comm)); });
}

int iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) noexcept {
  Posting posting;
  if (!is_ours({source, tag, comm}, posting)) {
    return hand_on(call::Iprobe, source, tag, comm, flag, status);
  }
  return guarded(comm, [&] {
    const std::optional<Status> found = typewarp::iprobe(source, tag, comm);
    *flag = found ? 1 : 0;
    if (found) fill(status, *found);
  });
}

void hand_over(Message found, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  MatchedMessage matched{std::move(found), comm};
  try {
    *message = matched_messages().add(matched);
  } catch (const std::exception&) {
    transport::put_back(std::move(matched.message), comm);
    throw;
  }
  fill(status, matched.message.status());
}

int mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) noexcept {
  Posting posting;
  if (!is_ours({source, tag, comm}, posting)) {
    preset(message, MPI_MESSAGE_NULL);
    const int code = hand_on(call::Mprobe, source, tag, comm, message, status);
    if (code == MPI_SUCCESS) matched_messages().note(result(message, MPI_MESSAGE_NULL), comm);
    return code;
  }
  return guarded(comm, [&] { hand_over(typewarp::mprobe(source, tag, comm), comm, message, status); });
}

int improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
            MPI_Status* status) noexcept {
  Posting posting;
  if (!is_ours({source, tag, comm}, posting)) {
    preset(message, MPI_MESSAGE_NULL);
    const int code = hand_on(call::Improbe, source, tag, comm, flag, message, status);
    if (code == MPI_SUCCESS) matched_messages().note(result(message, MPI_MESSAGE_NULL), comm);
    return code;
  }
  return guarded(comm, [&] {
    std::optional<Message> found = typewarp::improbe(source, tag, comm);
    *flag = found ? 1 : 0;
    if (found) hand_over(std::move(*found), comm, message, status);
  });
}

/// Receives what we have matched: `receive(message, comm)` starts that. Where it throws, the program still
/// has the message.
template <class Receive>
void receive_ours(MatchedMessages::Place place, MPI_Message* message, Receive receive) {
  try {
    receive(std::move(place.mapped().message), place.mapped().comm);
  } catch (const std::exception&) {
    if (place.mapped().message.empty()) {
      MatchedMessages::end(*message);
    } else {
      matched_messages().put_back(std::move(place));
    }
    throw;
  }
  MatchedMessages::end(*message);
}

/// The same of what the MPI has matched.
template <class Receive>
void receive_theirs(MPI_Message* message, MPI_Comm comm, Receive receive) {
  Message adopted = transport::adopt(*message);
  try {
    receive(std::move(adopted), comm);
  } catch (const std::exception&) {
    if (!adopted.empty()) {
      *message = transport::given_back(std::move(adopted));
      matched_messages().note(*message, comm);
    }
    throw;
  }
}

void end(Request receive, MPI_Comm, MPI_Status* status) {
  fill_by(status, [&] { return receive.wait(); });
}
void end(Request receive, MPI_Comm comm, MPI_Request* request) {
  *request = operations().add(comm, one(std::move(receive)));
}

/// `Last` is of a call that blocks, MPI_Status, or of one that does not, MPI_Request.
template <int base, class Last, class Count>
int receive_matched(void* buffer, Count count, MPI_Datatype datatype, MPI_Message* message,
                    Last* last) noexcept {
  constexpr int number = twin<Count>(base);
  std::optional<Data> data;
  const auto find = [&] { data = data_if_ours(buffer, count, datatype, MPI_COMM_NULL); };
  const int code = guarded_by(find, [&](const std::exception_ptr& error) {
    return raise(matched_messages().comm_of(*message), error);
  });
  if (code != MPI_SUCCESS) return code;
  const auto receive = [&](Message&& matched, MPI_Comm comm) {
    Data taken = data ? *data : data_needed(buffer, count, datatype, MPI_COMM_NULL);
    taken.stream = stream_of(comm);
    taken.plan = hinted(taken.plan, comm);
    tell_taken(taken.bytes());
    end(begin_receive(taken, std::move(matched), comm), comm, last);
  };
  if (MatchedMessages::Place ours = matched_messages().take(*message)) {
    const MPI_Comm comm = ours.mapped().comm;
    return guarded(comm, [&] { receive_ours(std::move(ours), message, receive); });
  }
  const MPI_Comm comm = matched_messages().take_comm(*message);
  if (!data || *message == MPI_MESSAGE_NULL || *message == MPI_MESSAGE_NO_PROC) {
    return hand_on(number, buffer, count, datatype, message, last);
  }
  return guarded(comm, [&] { receive_theirs(message, comm, receive); });
}

}  // namespace

void take_probing() noexcept {
  take<call::Probe, probe>();
  take<call::Iprobe, iprobe>();
  take<call::Mprobe, mprobe>();
  take<call::Improbe, improbe>();
  take<call::Mrecv, receive_matched<call::Mrecv, MPI_Status, int>>();
  take<call::Mrecv_c, receive_matched<call::Mrecv, MPI_Status, MPI_Count>>();
  take<call::Imrecv, receive_matched<call::Imrecv, MPI_Request, int>>();
  take<call::Imrecv_c, receive_matched<call::Imrecv, MPI_Request, MPI_Count>>();
}

}  // namespace typewarp::interpose
