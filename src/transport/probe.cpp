// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/core.hpp"
#include "transport/matched.hpp"
#include "transport/message.hpp"

#include <typewarp/mpi.hpp>

#include <thread>
#include <utility>

namespace typewarp {
namespace {

using transport::CommState;
using transport::Core;
using transport::Descriptor;
using transport::Pending;
using transport::PendingMessages;

std::optional<Status> probe_plain(int source, int tag, MPI_Comm comm) {
  MPI_Status raw;
  int there = 0;
  mpi::check(MPI_Iprobe(source, tag, comm, &there, &raw), "MPI_Iprobe");
  if (there == 0) return std::nullopt;
  Status status;
  status.source = raw.MPI_SOURCE;
  status.tag = raw.MPI_TAG;
  status.bytes = transport::received_bytes(raw);
  return status;
}

/// Takes the first message of `source` out of the MPI; its tag, or nothing if there is none. If its length is
/// a descriptor's it is received, without waiting for that.
std::optional<int> take_first(CommState& state, int source, MPI_Comm comm) {
  PendingMessages::Place place(1);  // in which it can be kept whatever happens
  Pending& found = place.front();
  MPI_Status raw;
  int there = 0;
  mpi::check(MPI_Improbe(source, MPI_ANY_TAG, comm, &there, &found.message, &raw), "MPI_Improbe");
  if (there == 0) return std::nullopt;
  found.source = raw.MPI_SOURCE;
  found.tag = raw.MPI_TAG;
  found.bytes = transport::received_bytes(raw);
  if (found.bytes == transport::descriptor_bytes) {
    found.arriving = transport::start_receive(found.data.data(), found.bytes, found.message);
    found.message = MPI_MESSAGE_NULL;
  }
  state.pending.add(std::move(place));
  return raw.MPI_TAG;
}

/// Nothing of a message whose length is not known yet.
std::optional<Status> status_of(const Core& core, Pending* found) {
  if (found == nullptr || !found->arriving.test()) return std::nullopt;
  Status status;
  status.source = found->source;
  status.tag = found->tag;
  status.bytes = found->bytes;
  if (found->message != MPI_MESSAGE_NULL) return status;
  const auto descriptor = Descriptor::decode(found->data.data(), core.identity());
  if (descriptor) status.bytes = descriptor->bytes;
  return status;
}

/// A message whose length is a descriptor's does not say how long its data is before it has been received.
/// What the MPI has of that source before it must be taken out too, since a later receive looks first among
/// what was taken out, and must not overtake. Called under the lock of `state`.
std::optional<Status> probe_members(const Core& core, CommState& state, int source, int tag, MPI_Comm comm) {
  if (Pending* const found = state.pending.find(source, tag)) return status_of(core, found);
  const std::optional<Status> seen = probe_plain(source, tag, comm);
  if (!seen || seen->bytes != transport::descriptor_bytes || !state.is_member(seen->source)) return seen;
  while (const std::optional<int> taken = take_first(state, seen->source, comm)) {
    if (*taken == seen->tag) break;
  }
  return status_of(core, state.pending.find(source, tag));
}

/// What is looked in for messages, and has moved on.
struct Look {
  Look(const char* call, int source, MPI_Comm comm) {
    if (comm == MPI_COMM_NULL) {
      throw InvalidArgument(call, "comm", "MPI_COMM_NULL", "must be a communicator");
    }
    if (source == MPI_PROC_NULL) return;
    core = transport::current();
    if (!core) return;
    state = core->ranks.of(comm);
    core->progress.advance_some();
  }

  std::shared_ptr<Core> core;  ///< null without a Transport
  std::shared_ptr<CommState> state;
};

/// Takes the message that was seen just now.
PendingMessages::Place take_seen(CommState* state, const Status& seen, MPI_Comm comm) {
  if (state != nullptr) {
    if (const Pending* const found = state->pending.find(seen.source, seen.tag)) {
      return state->pending.take(*found);
    }
  }
  PendingMessages::Place place(1);
  Pending& taken = place.front();
  taken.source = seen.source;
  taken.tag = seen.tag;
  taken.bytes = seen.bytes;
  int there = 0;
  mpi::check(MPI_Improbe(seen.source, seen.tag, comm, &there, &taken.message, MPI_STATUS_IGNORE),
             "MPI_Improbe");
  if (there == 0) place.clear();  // another thread was faster
  return place;
}

}  // namespace

std::optional<Status> iprobe(int source, int tag, MPI_Comm comm) {
  const Look look("typewarp::iprobe", source, comm);
  if (!look.core) return probe_plain(source, tag, comm);
  const std::lock_guard lock(look.state->mutex);
  return probe_members(*look.core, *look.state, source, tag, comm);
}

Status probe(int source, int tag, MPI_Comm comm) {
  for (;;) {
    if (const std::optional<Status> found = iprobe(source, tag, comm)) return *found;
    std::this_thread::yield();
  }
}

std::optional<Matched> improbe(int source, int tag, MPI_Comm comm) {
  const Look look("typewarp::improbe", source, comm);
  std::unique_lock<std::mutex> lock;
  if (look.core) lock = std::unique_lock(look.state->mutex);
  const std::optional<Status> seen =
      look.core ? probe_members(*look.core, *look.state, source, tag, comm) : probe_plain(source, tag, comm);
  if (!seen) return std::nullopt;
  PendingMessages::Place taken = take_seen(look.state.get(), *seen, comm);
  if (taken.empty()) return std::nullopt;
  return Matched(std::make_unique<Matched::State>(std::move(taken)), *seen);
}

Matched mprobe(int source, int tag, MPI_Comm comm) {
  for (;;) {
    if (std::optional<Matched> found = improbe(source, tag, comm)) return std::move(*found);
    std::this_thread::yield();
  }
}

}  // namespace typewarp
