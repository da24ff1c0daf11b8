// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The calls that begin and end MPI where the program is watched only: nothing of its messages is ours.

#include "base/environment.hpp"
#include "base/never_destroyed.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/job_member.hpp"
#include "interpose/core/observe/sites.hpp"

namespace typewarp::interpose {
namespace {

constinit StaticRoom<JobMember<PlanKeeper>> plans;  ///< all that is open here

int begun(int code) noexcept {
  if (code != MPI_SUCCESS) return code;
  int rank = 0, ranks = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  environment::tell_faults(rank == 0);
  plans.emplace(MPI_COMM_SELF);
  open_sites(environment::text("TYPEWARP_DOCTOR").data(), rank, ranks);
  return code;
}

int init(int* argc, char*** argv) noexcept { return begun(hand_on(call::Init, argc, argv)); }

int init_thread(int* argc, char*** argv, int required, int* provided) noexcept {
  return begun(hand_on(call::Init_thread, argc, argv, required, provided));
}

int finalize() noexcept {
  close_sites();
  plans.reset();
  return hand_on(call::Finalize);
}

template <class F>
void lead(int number, F* function) noexcept {
  attachment.chosen[number] = reinterpret_cast<void*>(function);
}

}  // namespace

void watch_lifecycle() noexcept {
  lead(call::Init, init);
  lead(call::Init_thread, init_thread);
  lead(call::Finalize, finalize);
}

}  // namespace typewarp::interpose
