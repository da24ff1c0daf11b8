// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/agreement/capability.hpp"
#include "interpose/core/collectives/call.hpp"
#include "interpose/core/function_ref.hpp"
#include "interpose/core/job/job.hpp"

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <optional>

/// How the ranks of a communicator find out which path all of them take for a collective call. Each of these
/// functions is collective, also over ranks that have nothing to tell.
///
/// Ranks of one host agree by shared memory (agreement/), those of several hosts by a small MPI_Allreduce. On
/// MPI_COMM_WORLD the memory is known from the start. On another communicator rank 0 takes some when it uses
/// a device, and tells the others where it is in an MPI_Allreduce, or in an MPI_Iallgather that nobody waits
/// for.
namespace typewarp::interpose {

/// In MPI_Init, collective over the ranks of the Session, if there is one, which open_job() has made: what
/// each rank has found out for itself and all must do alike becomes that of all. That is the memory by which
/// ranks agree, if all have mapped it; that the MPI takes GPU memory, if all say so; and the most memory for
/// partial results, which it returns.
std::int64_t open_agreement() noexcept;

/// As everyone_of(), for an exchange that blocks; nothing also where no rank may have had device memory when
/// they last asked each other: then the MPI has the whole call, at its own price. The same in all ranks.
///
/// They ask in the first of these exchanges on `comm`, the 2nd, 4th, 8th and so on, and in each 64th, until
/// one says yes. So a rank that begins to use a GPU gives the MPI copies in at most 63 of them. Each rank
/// calls this once in each of them. Throws MpiError, and TimeLimitExceeded as agree() does.
std::optional<Everyone> everyone_if_device(MPI_Comm comm, bool may_be_ours);

/// Of this rank in a call, of which it has memory that is ours or not.
LocalCapability::DeviceUse device_use(bool any_is_ours) noexcept;

/// When the ranks ask each other: in turn as everyone_if_device(), and in every call once some rank may have
/// device memory; or in every call, as what follows from it lasts.
enum class Asking : std::uint8_t { in_turn, always };

/// A path that is preferred to those of the library: all ranks take it if each is ready for it.
class PreferredPath {
 public:
  /// What this rank can do, once it has all that it needs for that: LocalCapability::nccl, and what all ranks
  /// must find alike.
  virtual LocalCapability prepare() noexcept = 0;
  /// `least`: the least LocalCapability::nccl of all ranks. Whether the call goes so, the same in all ranks.
  virtual bool begin(std::int64_t least) = 0;

  std::optional<Agreed> outcome;  ///< once the ranks have asked each other in the call

 protected:
  ~PreferredPath() = default;
};

/// The path of a call that may wait: Path::forward unless some rank has device memory in it and all can do
/// otherwise. `own()` is called where they ask and this rank cannot take the
/// preferred path, and must not throw. Where only some ranks cannot, they ask a second time.
///
/// Throws MpiError. Throws TimeLimitExceeded in all ranks if one has waited for the others for as long as
/// TYPEWARP_TIME_LIMIT_MS says: the call is made by nobody, and all later ones on the communicator are
/// forwarded.
Agreed agree(const Call& call, std::int64_t least, FunctionRef<LocalCapability()> own,
             Asking asking = Asking::in_turn);
/// Whether a call takes its preferred path, which no other has asked for, or agree() has found it.
bool agree_on_preferred(const Call& call);
/// The end of a call in several steps: throws what failed here, or that something failed elsewhere.
void agree_on_end(MPI_Comm comm, const std::exception_ptr& failure);

/// Where a call moves data to.
enum class Reach : std::uint8_t { one_rank, all_ranks };

/// Ranks of several hosts among which our messages carry what goes to all. Among more the MPI's trees and
/// rings are better for that.
constexpr int most_by_messages = 8;

/// Whether a call on `comm` that must not wait, whose ranks all have this library, goes by messages of ours;
/// the same in all of them. Each calls this once in each of these calls, in one order. On one host the rank
/// that comes to a call first decides (agreement/path_log.hpp). `has_ours()`: whether memory of this rank in
/// the call is ours, nothing if it has none there. Until all ranks know the memory calls are the MPI's.
/// Between hosts nobody decides: calls are ours, those to all ranks among `most_by_messages` ranks. Throws
/// MpiError, std::bad_alloc.
bool nonblocking_path_is_ours(MPI_Comm comm, Reach reach, FunctionRef<std::optional<bool>()> has_ours);

}  // namespace typewarp::interpose
