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

/// Takes the first message of `source` with `tag` out of the MPI, both perhaps wildcards; empty if there is
/// none. If its length is a descriptor's and its source a member of `state`, it is received, without waiting
/// for that.
PendingMessages::Place take(const CommState* state, int source, int tag, MPI_Comm comm) {
  PendingMessages::Place place(1);  // in which it can be kept whatever happens
  Pending& found = place.front();
  MPI_Status raw;
  int there = 0;
  mpi::check(MPI_Improbe(source, tag, comm, &there, &found.message, &raw), "MPI_Improbe");
  if (there == 0) return {};
  found.source = raw.MPI_SOURCE;
  found.tag = raw.MPI_TAG;
  found.bytes = transport::received_bytes(raw);
  if (found.bytes == transport::descriptor_bytes && state != nullptr && state->is_member(found.source)) {
    found.arriving = transport::start_receive(found.data.data(), found.bytes, found.message);
    found.message = MPI_MESSAGE_NULL;
  }
  return place;
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
  for (;;) {
    PendingMessages::Place taken = take(&state, seen->source, MPI_ANY_TAG, comm);
    if (taken.empty()) break;
    const int tag_taken = taken.front().tag;
    state.pending.add(std::move(taken));
    if (tag_taken == seen->tag) break;
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

/// Whoever has taken a message knows it by what the MPI said then: what a probe said just before may have
/// been of another, which another thread has received since.
Matched matched(PendingMessages::Place taken, const Status& status) {
  return transport::Internal::message(std::make_unique<transport::Internal::Found>(std::move(taken)), status);
}

std::optional<Matched> improbe_plain(int source, int tag, MPI_Comm comm) {
  PendingMessages::Place taken = take(nullptr, source, tag, comm);
  if (taken.empty()) return std::nullopt;
  const Pending& found = taken.front();
  Status status;
  status.source = found.source;
  status.tag = found.tag;
  status.bytes = found.bytes;
  return matched(std::move(taken), status);
}

std::optional<Matched> improbe_members(const Core& core, CommState& state, int source, int tag,
                                       MPI_Comm comm) {
  const std::optional<Status> seen = probe_members(core, state, source, tag, comm);
  if (!seen) return std::nullopt;
  const Pending* const pending = state.pending.find(seen->source, seen->tag);
  PendingMessages::Place taken =
      pending != nullptr ? state.pending.take(*pending) : take(&state, seen->source, seen->tag, comm);
  if (taken.empty()) return std::nullopt;  // another thread was faster
  taken.front().arriving.finish(true);     // a descriptor takes no time
  const Status status = status_of(core, &taken.front()).value();
  return matched(std::move(taken), status);
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
  if (!look.core) return improbe_plain(source, tag, comm);
  const std::lock_guard lock(look.state->mutex);
  return improbe_members(*look.core, *look.state, source, tag, comm);
}

Matched mprobe(int source, int tag, MPI_Comm comm) {
  for (;;) {
    if (std::optional<Matched> found = improbe(source, tag, comm)) return std::move(*found);
    std::this_thread::yield();
  }
}

}  // namespace typewarp
