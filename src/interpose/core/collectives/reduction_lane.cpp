// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/reduction_lane.hpp"

#include "mpi/library.hpp"

#include <typewarp/mpi.hpp>

namespace typewarp::interpose {
namespace {

using Kept = std::shared_ptr<ReductionLane>;

// Open MPI does not keep a freed communicator for the collective call that tells the channel's tags.
int forget(MPI_Comm, int, void* attribute, void*) noexcept {
  const std::unique_ptr<Kept> kept(static_cast<Kept*>(attribute));
  try {
    if (mpi::is_open_mpi()) (*kept)->channel()->made(true);
  } catch (const std::exception&) {
    return MPI_ERR_OTHER;
  }
  return MPI_SUCCESS;
}

int key_of_lanes() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    mpi::check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &forget, &made, nullptr),
               "MPI_Comm_create_keyval");
    return made;
  }();
  return key;
}

}  // namespace

std::shared_ptr<ReductionLane> ReductionLane::of(MPI_Comm comm) {
  void* found = nullptr;
  int present = 0;
  mpi::check(PMPI_Comm_get_attr(comm, key_of_lanes(), static_cast<void*>(&found), &present),
             "MPI_Comm_get_attr");
  if (present != 0) return *static_cast<const Kept*>(found);
  Kept lane = std::make_shared<ReductionLane>(transport::DupComm::apart(comm));
  auto kept = std::make_unique<Kept>(lane);
  mpi::check(PMPI_Comm_set_attr(comm, key_of_lanes(), kept.get()), "MPI_Comm_set_attr");
  static_cast<void>(kept.release());  // the communicator's now
  return lane;
}

Stream ReductionLane::stream(int device) {
  const std::lock_guard lock(mutex_);
  return streams_.try_emplace(device, device).first->second.get();
}

std::shared_ptr<ReductionLane> ReductionLane::apart(MPI_Comm comm) {
  auto lane = std::make_shared<ReductionLane>(transport::DupComm::apart(comm));
  lane->channel()->made(true);
  return lane;
}

}  // namespace typewarp::interpose
