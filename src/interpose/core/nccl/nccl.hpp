// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/memory.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/job_member.hpp"
#include "interpose/core/nccl/nccl_communicator.hpp"
#include "transport/mpi/comm_state.hpp"

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>

/// NCCL for collective calls of device memory between ranks that have this library, a device of their own,
/// and NCCL. All ranks of a communicator must take the same path, though none knows the memory of another: in
/// calls that are long enough, of which all know the bytes and the operation alike, what they tell each other
/// says whether NCCL can make the call.
namespace typewarp::interpose::nccl {

/// What the ranks of a job have agreed on, and what a process has once. A member of the job.
class JobSettings {
 public:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  /// Collective over the ranks of the job's Session, if there is one, before they make any other call.
  JobSettings() noexcept;

  /// Packed bytes of a call from which on ranks ask each other.
  std::int64_t least_bytes() const noexcept { return least_bytes_.load(std::memory_order_relaxed); }
  /// The most device memory for packed pieces of a communicator.
  std::int64_t staging_bytes() const noexcept { return staging_bytes_; }
  void close() noexcept { least_bytes_ = never; }

  std::atomic_flag has_call;  ///< see OnlyCall

 private:
  std::atomic<std::int64_t> least_bytes_ = never;
  std::int64_t staging_bytes_ = 0;
};
/// Before MPI_Finalize: ends what is left, for which all ranks must come here.
void close() noexcept;

/// JobSettings::never where there are no calls for NCCL.
inline std::int64_t least_bytes() noexcept {
  const JobSettings* const job = JobMember<JobSettings>::current();
  return job != nullptr ? job->least_bytes() : JobSettings::never;
}
inline std::int64_t staging_bytes() noexcept {
  const JobSettings* const job = JobMember<JobSettings>::current();
  return job != nullptr ? job->staging_bytes() : 0;
}
inline bool is_open() noexcept { return least_bytes() != JobSettings::never; }

/// What is kept with a communicator of the program's.
struct Kept final : transport::CommState::Member {
  static constexpr transport::CommSlot slot = transport::CommSlot::nccl;

  std::optional<gpu::DeviceAllocation>
      staging;  ///< freed after the communicator, whose work may hold the device
  int staging_device = -1;
  std::unique_ptr<Communicator> communicator;  ///< null until all ranks have device memory in one call
  bool is_unable = false;                      ///< NCCL is given up: the same in all ranks
  bool is_spoilt = false;                      ///< a call failed in this rank
  Patience patience;                           ///< of calls that only NCCL may take

  /// Memory for packed pieces there, if there is any.
  bool has_staging(int device) noexcept;
  /// What failed here may never end, in this rank or in others: it is aborted, so that the program can free
  /// the buffers.
  void spoil() noexcept {
    is_spoilt = true;
    if (communicator) communicator->abandon();
    communicator.reset();
  }
  void leave() noexcept override { communicator.reset(); }
  /// In all ranks.
  void give_up() noexcept {
    is_unable = true;
    if (!is_spoilt && !communicator) staging.reset();  // of what never ran, so nothing has to be waited for
    spoil();
  }
};
/// Null where NCCL is out of the question, which all ranks find alike. Throws MpiError.
Kept* kept_with(MPI_Comm comm);

/// TYPEWARP_TIME_LIMIT_MS; 0: none.
std::chrono::milliseconds time_limit() noexcept;

}  // namespace typewarp::interpose::nccl
