// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The probes, which must not see a descriptor for a message, and the receives of what they have matched.

#include "interpose/core/buffers.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/job.hpp"
#include "interpose/core/matched.hpp"
#include "interpose/core/messages.hpp"
#include "interpose/core/operations.hpp"
#include "interpose/core/statistics.hpp"
#include "interpose/core/statuses.hpp"
#include "interpose/core/streams.hpp"

#include <utility>

namespace typewarp::interpose {
namespace {

bool is_ours(const End& from) noexcept { return announcing() && is_source(from); }

int probe(int source, int tag, MPI_Comm comm, MPI_Status* status) noexcept {
  if (!is_ours({source, tag, comm})) {
    return next<int(int, int, MPI_Comm, MPI_Status*)>(call::Probe)(source, tag, comm, status);
  }
  return guarded(comm, [&] { fill(status, typewarp::probe(source, tag, comm)); });
}

int iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) noexcept {
  if (!is_ours({source, tag, comm})) {
    return next<int(int, int, MPI_Comm, int*, MPI_Status*)>(call::Iprobe)(source, tag, comm, flag, status);
  }
  return guarded(comm, [&] {
    const std::optional<Status> found = typewarp::iprobe(source, tag, comm);
    *flag = found ? 1 : 0;
    if (found) fill(status, *found);
  });
}

void hand_over(Matched found, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  fill(status, found.status());
  *message = matched_messages().add({std::move(found), comm});
}

int mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) noexcept {
  if (!is_ours({source, tag, comm})) {
    return next<int(int, int, MPI_Comm, MPI_Message*, MPI_Status*)>(call::Mprobe)(source, tag, comm, message,
                                                                                  status);
  }
  return guarded(comm, [&] { hand_over(typewarp::mprobe(source, tag, comm), comm, message, status); });
}

int improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
            MPI_Status* status) noexcept {
  if (!is_ours({source, tag, comm})) {
    return next<int(int, int, MPI_Comm, int*, MPI_Message*, MPI_Status*)>(call::Improbe)(
        source, tag, comm, flag, message, status);
  }
  return guarded(comm, [&] {
    std::optional<Matched> found = typewarp::improbe(source, tag, comm);
    *flag = found ? 1 : 0;
    if (found) hand_over(std::move(*found), comm, message, status);
  });
}

/// A message that we receive; nothing if the MPI does. Its communicator, where only the MPI knows it, is
/// MPI_COMM_SELF: errors are told there.
std::optional<MatchedMessage> message_if_ours(MPI_Message* message, const Plan* plan) {
  if (std::optional<MatchedMessage> taken = matched_messages().take(*message)) {
    *message = MPI_MESSAGE_NULL;
    return taken;
  }
  if (plan == nullptr || *message == MPI_MESSAGE_NULL || *message == MPI_MESSAGE_NO_PROC) return std::nullopt;
  return MatchedMessage{adopt(*message), MPI_COMM_SELF};
}

template <class Count>
int receive_matched(void* buffer, Count count, MPI_Datatype datatype, MPI_Message* message,
                    MPI_Status* status) noexcept {
  constexpr int number = twin<Count>(call::Mrecv);
  const Plan* const plan = plan_if_ours(buffer, count, datatype);
  bool is_the_mpis = false;
  const int code = guarded(MPI_COMM_SELF, [&] {
    std::optional<MatchedMessage> ours = message_if_ours(message, plan);
    is_the_mpis = !ours;
    if (is_the_mpis) return;
    const Plan& needed = plan_needed(datatype);
    count_taken(number, count * needed.size());
    fill(status, imrecv(buffer, count, needed, std::move(ours->message), ours->comm, stream()).wait());
  });
  return is_the_mpis ? next<int(void*, Count, MPI_Datatype, MPI_Message*, MPI_Status*)>(number)(
                           buffer, count, datatype, message, status)
                     : code;
}

template <class Count>
int start_receiving_matched(void* buffer, Count count, MPI_Datatype datatype, MPI_Message* message,
                            MPI_Request* request) noexcept {
  constexpr int number = twin<Count>(call::Imrecv);
  const Plan* const plan = plan_if_ours(buffer, count, datatype);
  bool is_the_mpis = false;
  const int code = guarded(MPI_COMM_SELF, [&] {
    std::optional<MatchedMessage> ours = message_if_ours(message, plan);
    is_the_mpis = !ours;
    if (is_the_mpis) return;
    const Plan& needed = plan_needed(datatype);
    count_taken(number, count * needed.size());
    std::vector<Request> messages;
    messages.push_back(imrecv(buffer, count, needed, std::move(ours->message), ours->comm, stream()));
    *request = operations().add(ours->comm, std::move(messages));
  });
  return is_the_mpis ? next<int(void*, Count, MPI_Datatype, MPI_Message*, MPI_Request*)>(number)(
                           buffer, count, datatype, message, request)
                     : code;
}

}  // namespace

void take_probing() noexcept {
  take(call::Probe, probe);
  take(call::Iprobe, iprobe);
  take(call::Mprobe, mprobe);
  take(call::Improbe, improbe);
  take(call::Mrecv, receive_matched<int>);
  take(call::Mrecv_c, receive_matched<MPI_Count>);
  take(call::Imrecv, start_receiving_matched<int>);
  take(call::Imrecv_c, start_receiving_matched<MPI_Count>);
}

}  // namespace typewarp::interpose
