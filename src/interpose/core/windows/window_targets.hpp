// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/gpu.hpp"

#include <typewarp/plan.hpp>

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>
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

/// The memory of a window's ranks that only a device reaches, as the device of this rank addresses it.
class WindowTargets {
 public:
  /// Collective over `comm`, whose ranks are all of this library's: maps what each rank has in its device.
  /// Nothing where that is nowhere, the same in all ranks. Throws InvalidArgument in all ranks where one of
  /// them cannot export or map some, with the reason where it is known; MpiError.
  static std::optional<WindowTargets> of(const WindowMemory& own, MPI_Comm comm);

  /// Whether that rank's memory is a device's.
  bool reaches(int rank) const noexcept;
  /// The part of it that a call names. Throws MpiError of class MPI_ERR_RMA_RANGE where that is not within.
  gpu::Side side_of(const TargetMemory& target, const Plan& plan) const;
  /// That moves what these calls move.
  int device() const noexcept { return device_; }
  /// The same device, and no memory.
  WindowTargets of_nobody() const { return WindowTargets(device_); }

 private:
  struct Told;
  struct Target {
    std::byte* address = nullptr;  ///< null where it is the host's
    std::int64_t bytes = 0;
    std::int64_t unit = 1;
    int device = -1;
    std::optional<gpu::ImportedMemory> mapping;
  };

  explicit WindowTargets(int device) : device_(device) {}
  WindowTargets(const WindowMemory& own, int rank, const std::vector<Told>& told);

  int device_;
  std::vector<Target> targets_;
};

/// Throws MpiError of a class, of which the MPI has told nobody yet.
[[noreturn]] void fail(int error_class, const std::string& description);

/// Whether it is for a device only, and not for the MPI.
bool is_a_devices(const WindowMemory& memory);

}  // namespace typewarp::interpose
