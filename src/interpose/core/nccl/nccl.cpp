// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/nccl/nccl.hpp"

#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/job/job.hpp"
#include "interpose/core/job_member.hpp"
#include "base/environment.hpp"
#include "transport/session.hpp"

#include <typewarp/error.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace typewarp::interpose::nccl {

namespace {

/// What this rank would have. Throws InvalidArgument.
std::int64_t least_bytes_asked(const transport::SessionState& session) {
  if (environment::text("TYPEWARP_NCCL") == "0" || mpi_takes_device_memory()) return JobSettings::never;
  return environment::number("typewarp", "TYPEWARP_NCCL_BYTES").value_or(session.profile.nccl_bytes);
}

}  // namespace

JobSettings::JobSettings() noexcept {
  const std::shared_ptr<transport::SessionState> session = transport::current();
  if (!session) return;
  // The negative bytes: the most that any rank asks for is the least of these.
  std::array<std::int64_t, 2> own{-never, session->options.device_pool_bytes};
  try {
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
  staging_bytes_ = own[1] < too_few ? 0 : std::min(own[1], enough);
  least_bytes_ = -own[0];
}

void close() noexcept {
  JobMember<JobSettings>::current()->close();
  transport::CommState::for_each<Kept>([](Kept& kept) { kept.communicator.reset(); });
  JobMember<CommunicatorEnds>::current()->wait();
  transport::CommState::for_each<Kept>([](Kept& kept) { kept.staging.reset(); });
}

Kept* kept_with(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL || !everyone_of(comm)) return nullptr;
  if (const auto kept = transport::CommState::find<Kept>(comm)) return kept->is_unable ? nullptr : kept.get();
  auto made = std::make_shared<Kept>();
  transport::CommState::keep(comm, made);
  return made.get();
}

bool Kept::has_staging(int device) noexcept try {
  const std::int64_t bytes = staging_bytes();
  if (bytes == 0) return false;
  if (!staging || staging_device != device) staging.emplace(device, bytes);
  staging_device = device;
  return true;
} catch (const std::exception&) {
  staging.reset();
  return false;
}

std::chrono::milliseconds time_limit() noexcept {
  const std::shared_ptr<transport::SessionState> session = transport::current();
  return session ? session->options.time_limit : SessionOptions::no_time_limit;
}

}  // namespace typewarp::interpose::nccl
