// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/gpu.hpp"
#include "interpose/core/windows/attached_memory.hpp"
#include "plan/bounds.hpp"

#include <typewarp/mpi.hpp>
#include <typewarp/plan.hpp>

#include <mpi.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace typewarp::interpose {

/// (target_rank, target_disp, target_count, target_datatype) of a one-sided call.
struct TargetMemory {
  int rank;
  MPI_Aint displacement;
  std::int64_t count;
  MPI_Datatype type;
};

/// What a rank gives MPI_Win_create.
struct WindowMemory {
  void* base;
  std::int64_t bytes;
  std::int64_t unit;  ///< of displacements, in bytes
};

/// The memory of a window's ranks that only a device reaches, as the device of this rank addresses it. Thread
/// safe.
class WindowTargets {
 public:
  /// Of a dynamic window, where memory is mapped when a call first names it, and kept so until a later call
  /// sees that it was detached. Collective over `comm`, whose ranks are on one host. `byte`: of this rank,
  /// which the MPI's window has. Throws what AttachedMemories throws.
  WindowTargets(MPI_Comm comm, const WindowFile& file, const void* byte);
  /// Of a window that has this memory of each rank, which all ranks map. Throws the same, and InvalidArgument
  /// in all ranks if one of them cannot export or map some, with the reason if it is known.
  WindowTargets(MPI_Comm comm, const WindowFile& file, const WindowMemory& own);

  /// The device that makes the calls.
  int device() const noexcept { return device_; }
  /// Whether a device makes a call there, or it is refused, so that it is not the MPI's. In a dynamic window
  /// this holds for memory that is not attached too, if the rank's table lists all that is attached.
  bool reaches(const TargetMemory& target);
  /// What a call names, if it is reached. Throws MpiError of class MPI_ERR_RMA_RANGE if the rank has not
  /// given that, InvalidArgument if it cannot be mapped.
  gpu::Side side_of(const TargetMemory& target, const Plan& plan);
  /// The displacement of a byte of that rank which the MPI's window has.
  MPI_Aint byte_of(int rank) const noexcept { return is_dynamic_ ? memories_.byte_of(rank) : 0; }

  /// Memory of a device of this rank's. Throws InvalidArgument if others cannot map it, with the reason if it
  /// is known, and what AttachedMemories::add() throws.
  void attach(const void* base, std::int64_t bytes);
  AttachedMemories& memories() noexcept { return memories_; }

 private:
  struct Mapped {
    AttachedMemory memory;
    std::optional<gpu::ImportedMemory> mapping;  ///< once a call has named it
  };
  /// What this rank knows of another.
  struct Target {
    std::optional<std::uint64_t> version;  ///< of the listing that is known
    bool is_complete = true;
    bool had_a_devices = false;
    std::vector<Mapped> all;

    Mapped* holding(std::uint64_t address);
  };
  /// The first byte that a call names, and the last one.
  struct Ends {
    std::uint64_t first, last;
  };
  std::optional<Ends> ends_of(const TargetMemory& target,
                              const std::optional<plan::Bounds>& bounds) const noexcept;
  // Under the lock.
  Target& known(int rank);
  const gpu::ImportedMemory& map(Mapped& mapped, int rank) const;

  AttachedMemories memories_;
  bool is_dynamic_;
  int device_ = -1;
  std::mutex mutex_;
  std::vector<Target> targets_;
};

/// Whether only a device reaches it, so that the MPI must not get it.
bool is_a_devices(const WindowMemory& memory);

/// What the ranks of a communicator say.
struct Answers {
  bool any;          ///< whether one said yes
  bool is_one_host;  ///< whether all are on one host
};
/// Collective. `host` is the number of this rank's host. Throws MpiError.
Answers ask(MPI_Comm comm, bool own, int host);

}  // namespace typewarp::interpose
