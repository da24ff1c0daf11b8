// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/nccl/nccl.hpp"

#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/job/job.hpp"
#include "base/environment.hpp"
#include "transport/session.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

namespace typewarp::interpose::nccl {

Agreed agreed;

namespace {

int keyval = MPI_KEYVAL_INVALID;
std::mutex mutex;
std::vector<Kept*>& all = *new std::vector<Kept*>;  // MPI_Finalize calls back

int forget(MPI_Comm, int, void* attribute, void*) {
  const std::unique_ptr<Kept> kept(static_cast<Kept*>(attribute));
  const std::lock_guard lock(mutex);
  std::erase(all, kept.get());
  return MPI_SUCCESS;
}

/// What this rank would have. Throws InvalidArgument.
std::int64_t least_bytes_asked(const transport::SessionState& session) {
  if (environment::text("TYPEWARP_NCCL") == "0" || mpi_takes_device_memory()) return Agreed::never;
  return environment::number("typewarp", "TYPEWARP_NCCL_BYTES").value_or(session.profile.nccl_bytes);
}

}  // namespace

void open() noexcept {
  const std::shared_ptr<transport::SessionState> session = transport::current();
  if (!session) return;
  // The negative bytes: the most that any rank asks for is the least of these.
  std::array<std::int64_t, 2> own{-Agreed::never, session->options.device_pool_bytes};
  try {
    mpi::check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &forget, &keyval, nullptr),
               "MPI_Comm_create_keyval");
    own[0] = -least_bytes_asked(*session);
  } catch (const Error& error) {
    if (environment::is_set("TYPEWARP_VERBOSE"))
      std::fprintf(stderr, "typewarp: no NCCL: %s\n", error.what());
  }
  const auto numbers = static_cast<int>(own.size());
  if (PMPI_Allreduce(MPI_IN_PLACE, own.data(), numbers, MPI_INT64_T, MPI_MIN, session->comm.get()) !=
      MPI_SUCCESS)
    return;
  // Of pieces that take a launch and a call of NCCL each.
  constexpr std::int64_t enough = std::int64_t{32} << 20;
  constexpr std::int64_t too_few = std::int64_t{64} << 10;  // each rank of a communicator may need some
  agreed.staging_bytes = own[1] < too_few ? 0 : std::min(own[1], enough);
  agreed.least_bytes = -own[0];
}

void close() noexcept {
  agreed.least_bytes = Agreed::never;
  {
    const std::lock_guard lock(mutex);
    for (Kept* const kept : all) kept->communicator.reset();
  }
  wait_for_ends();
  {
    const std::lock_guard lock(mutex);
    for (Kept* const kept : all) kept->staging.reset();
  }
  if (keyval != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&keyval);
}

Kept* kept_with(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL || !everyone_of(comm)) return nullptr;
  void* found = nullptr;
  int present = 0;
  mpi::check(PMPI_Comm_get_attr(comm, keyval, static_cast<void*>(&found), &present), "MPI_Comm_get_attr");
  if (present != 0) {
    Kept* const kept = static_cast<Kept*>(found);
    return kept->is_unable ? nullptr : kept;
  }
  auto made = std::make_unique<Kept>();
  {
    const std::lock_guard lock(mutex);
    all.push_back(made.get());
  }
  // Not under the lock: an MPI may call forget() in another thread while it holds what this waits for.
  const int code = PMPI_Comm_set_attr(comm, keyval, made.get());
  if (code != MPI_SUCCESS) forget(comm, keyval, made.release(), nullptr);
  mpi::check(code, "MPI_Comm_set_attr");
  return made.release();
}

std::chrono::milliseconds time_limit() noexcept {
  const std::shared_ptr<transport::SessionState> session = transport::current();
  return session ? session->options.time_limit : SessionOptions::no_time_limit;
}

}  // namespace typewarp::interpose::nccl
