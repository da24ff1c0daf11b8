// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/agreement/boards.hpp"

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

/// The ranks that have this library, and the Session between them: what it gives messages over an MPI that
/// knows nothing of GPUs.
namespace typewarp::interpose {

/// Before MPI_Init: whether ranks that have this library are to be found, for which MPI must grant
/// MPI_THREAD_MULTIPLE: messages move while the program is in calls of the MPI's. The program asks for
/// `required`. Waits for the ranks of this host where all must have the same level.
bool enter_job(int required) noexcept;
/// After it; does nothing if enter_job() said no. What cannot be had leaves messages without protocols.
void open_job() noexcept;
/// In place of that, in a rank that cannot take part, or whose MPI_Init has failed: nobody waits for it.
void refuse_job() noexcept;
/// Before MPI_Finalize, in which MPICH and its kin take no locks: there messages move only in calls that come
/// to us. Does nothing over others.
void prepare_for_finalize() noexcept;
/// How far this rank has come in MPI_Finalize.
class EndOfJob {
 public:
  /// To be called until it is false: whether ranks of the Session have not come there, or something is left
  /// and still moves.
  bool worth_waiting(bool something_is_left) noexcept;

 private:
  bool all_are_here(MPI_Comm comm) noexcept;

  MPI_Request meeting_ = MPI_REQUEST_NULL;
  bool is_meeting_ = false;
  std::uint64_t steps_ = 0;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};
/// Collective over these ranks: before MPI_Finalize.
void close_job() noexcept;

/// Before MPI_Init: whether the program may make windows that this MPI refuses at MPI_THREAD_MULTIPLE. Open
/// MPI before 5 does where its component osc/pt2pt alone could make them: without an adapter of UCX, on
/// several hosts, on one where a process may not read another's memory, and on MPI_COMM_SELF. A program that
/// names no call that makes windows makes none.
bool level_forbids_windows() noexcept;

/// Whether several threads of the program may be in calls of the MPI at once, as it asked for.
bool program_has_threads() noexcept;

/// Whether this rank is in such a Session, as the others are then: from open_job() until close_job().
bool job_is_open() noexcept;

/// Of the ranks of that Session. Null where they are not all of one host, or this one cannot map their
/// memory.
std::shared_ptr<Boards> boards() noexcept;
/// Some rank has none. Before any call that asks for them.
void drop_boards() noexcept;

/// To be called with the memory that a call is given (DeviceUsers).
void look_for_device_users(const void* address) noexcept;

/// How exchanges of a communicator go whose ranks are all among those that have this library.
struct Everyone {
  bool is_open;  ///< whether messages of exchanges can start at once (CollectiveContext)
  int host;      ///< a number of this rank's host, the same in all of its ranks
};
/// Nothing where some rank is not, and between groups; the same in all of them. Throws MpiError.
std::optional<Everyone> everyone_of(MPI_Comm comm);

/// A number of this rank's host, in such a Session, and whether that has all its ranks.
struct OwnHost {
  int number;
  bool is_only;
};
/// Precondition: job_is_open().
OwnHost own_host() noexcept;

}  // namespace typewarp::interpose
