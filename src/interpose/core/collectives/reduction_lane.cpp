// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/reduction_lane.hpp"

#include "transport/collective/kept_with_comm.hpp"

namespace typewarp::interpose {
using KeptLane = transport::KeptWithComm<ReductionLane>;

std::shared_ptr<ReductionLane> ReductionLane::of(MPI_Comm comm) {
  if (const KeptLane::Kept* const kept = KeptLane::find(comm)) return *kept;
  auto lane = std::make_shared<ReductionLane>(transport::DupComm::apart(comm));
  KeptLane::keep(comm, lane);
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
