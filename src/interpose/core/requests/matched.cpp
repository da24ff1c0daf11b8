// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/requests/matched.hpp"

#include "interpose/core/errors.hpp"

#include <typewarp/mpi.hpp>

#include <utility>

namespace typewarp::interpose {

MatchedMessages& matched_messages() {
  static NeverDestroyed<MatchedMessages> instance;
  return instance.get();
}

void MatchedMessages::open(MPI_Comm self) { mpi::check(PMPI_Comm_dup(self, &self_), "MPI_Comm_dup"); }

void MatchedMessages::close() noexcept { PMPI_Comm_free(&self_); }

MPI_Message MatchedMessages::add(MatchedMessage& message) {
  constexpr int self = 0;
  constexpr int tag = 0;
  const std::lock_guard lock(mutex_);
  Table made;
  made.try_emplace(MPI_MESSAGE_NULL);
  MPI_Request sent = MPI_REQUEST_NULL;
  MPI_Message handle = MPI_MESSAGE_NULL;
  mpi::check(PMPI_Isend(nullptr, 0, MPI_BYTE, self, tag, self_, &sent), "MPI_Isend");
  mpi::check(PMPI_Mprobe(self, tag, self_, &handle, MPI_STATUS_IGNORE), "MPI_Mprobe");
  PMPI_Request_free(&sent);
  // From here on nothing can fail.
  Place place = made.extract(made.begin());
  place.mapped() = std::move(message);
  place.key() = handle;
  messages_.insert(std::move(place));
  return handle;
}

void MatchedMessages::note(MPI_Message handle, MPI_Comm comm) noexcept {
  if (handle == MPI_MESSAGE_NULL || handle == MPI_MESSAGE_NO_PROC) return;
  try {
    const std::lock_guard lock(mutex_);
    comms_.insert_or_assign(handle, comm);
  } catch (const std::bad_alloc&) {
    return;  // its errors are told to fallback_comm() then
  }
}

MPI_Comm MatchedMessages::comm_of(MPI_Message handle) noexcept {
  const std::lock_guard lock(mutex_);
  if (const auto ours = messages_.find(handle); ours != messages_.end()) return ours->second.comm;
  const auto theirs = comms_.find(handle);
  return theirs != comms_.end() ? theirs->second : fallback_comm();
}

MPI_Comm MatchedMessages::take_comm(MPI_Message handle) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = comms_.find(handle);
  if (found == comms_.end()) return fallback_comm();
  const MPI_Comm comm = found->second;
  comms_.erase(found);
  return comm;
}

MatchedMessages::Place MatchedMessages::take(MPI_Message handle) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = messages_.find(handle);
  return found != messages_.end() ? messages_.extract(found) : Place();
}

void MatchedMessages::put_back(Place place) noexcept {
  const std::lock_guard lock(mutex_);
  messages_.insert(std::move(place));
}

void MatchedMessages::end(MPI_Message& handle) noexcept {
  PMPI_Mrecv(nullptr, 0, MPI_BYTE, &handle, MPI_STATUS_IGNORE);
}

}  // namespace typewarp::interpose
