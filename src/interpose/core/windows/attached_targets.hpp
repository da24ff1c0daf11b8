// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/windows/attached_memory.hpp"
#include "interpose/core/windows/targets.hpp"

#include <mutex>
#include <optional>
#include <vector>

namespace typewarp::interpose {

/// The targets of a dynamic window: displacements are addresses of the target's. Memory is mapped when a
/// call first names it, and kept so until a later call sees that it was detached. Thread safe.
class AttachedTargets : public Targets {
 public:
  /// Collective over `comm`, whose ranks are on one host. Throws what AttachedMemories throws.
  AttachedTargets(MPI_Comm comm, const SharedFile& file, const void* byte);

  int device() const noexcept override { return device_; }
  /// Also what is not attached, where the rank has told of all that is.
  bool reaches(const TargetMemory& target) override;
  gpu::Side side_of(const TargetMemory& target, const Plan& plan) override;
  MPI_Aint byte_of(int rank) const noexcept override { return memories_.byte_of(rank); }

  /// Memory of a device of this rank's. Throws InvalidArgument where others cannot map it, with the reason
  /// where it is known, and what AttachedMemories::add() throws.
  void attach(const void* base, std::int64_t bytes);
  AttachedMemories& memories() noexcept { return memories_; }

 private:
  struct Mapped {
    AttachedMemory memory;
    std::optional<gpu::ImportedMemory> mapping;  ///< once a call has named it
  };
  /// What is known of a rank.
  struct Target {
    std::optional<std::uint64_t> version;  ///< of the listing that is known
    bool is_complete = true;
    bool had_a_devices = false;
    std::vector<Mapped> all;

    Mapped* holding(std::uint64_t address);
  };
  // Under the lock.
  Target& known(int rank);

  AttachedMemories memories_;
  int device_;
  std::mutex mutex_;
  std::vector<Target> targets_;
};

}  // namespace typewarp::interpose
