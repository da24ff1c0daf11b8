// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The probes, which must not see a descriptor for a message, and the receives of what they have matched.

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/kept_hints.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/job/rts_readiness.hpp"
#include "interpose/core/requests/matched.hpp"
#include "interpose/core/requests/messages.hpp"
#include "interpose/core/requests/operations.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/statuses.hpp"
#include "interpose/core/buffers/streams.hpp"
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
  fill(status, found.status());
  *message = matched_messages().add({std::move(found), comm});
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

/// A message that we receive; nothing if the MPI does.
std::optional<MatchedMessage> message_if_ours(MPI_Message* message, bool data_is_ours) {
  if (std::optional<MatchedMessage> taken = matched_messages().take(*message)) {
    *message = MPI_MESSAGE_NULL;
    return taken;
  }
  const MPI_Comm comm = matched_messages().take_comm(*message);
  if (!data_is_ours || *message == MPI_MESSAGE_NULL || *message == MPI_MESSAGE_NO_PROC) return std::nullopt;
  return MatchedMessage{transport::adopt(*message), comm};
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
  std::optional<MatchedMessage> ours;
  const auto find = [&] {
    data = data_if_ours(buffer, count, datatype, MPI_COMM_NULL);
    ours = message_if_ours(message, data.has_value());
  };
  const int code = guarded_by(find, [&](const std::exception_ptr& error) {
    return raise(matched_messages().comm_of(*message), error);
  });
  if (code != MPI_SUCCESS) return code;
  if (!ours) return hand_on(number, buffer, count, datatype, message, last);
  const MPI_Comm comm = ours->comm;
  return guarded(comm, [&] {
    try {
      Data taken = data ? *data : data_needed(buffer, count, datatype, MPI_COMM_NULL);
      taken.stream = stream_of(comm);
      taken.plan = hinted(taken.plan, OfComm::get(comm));
      tell_taken(taken.bytes());
      end(begin_receive(taken, std::move(ours->message), comm), comm, last);
    } catch (const std::exception&) {
      if (!ours->message.empty()) *message = matched_messages().add(std::move(*ours));
      throw;
    }
  });
}

}  // namespace

void take_probing() noexcept {
  take(call::Probe, probe);
  take(call::Iprobe, iprobe);
  take(call::Mprobe, mprobe);
  take(call::Improbe, improbe);
  take(call::Mrecv, receive_matched<call::Mrecv, MPI_Status, int>);
  take(call::Mrecv_c, receive_matched<call::Mrecv, MPI_Status, MPI_Count>);
  take(call::Imrecv, receive_matched<call::Imrecv, MPI_Request, int>);
  take(call::Imrecv_c, receive_matched<call::Imrecv, MPI_Request, MPI_Count>);
}

}  // namespace typewarp::interpose
