// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/windows/targets.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace typewarp::interpose {

/// What a rank gives MPI_Win_create.
struct WindowMemory {
  void* base;
  std::int64_t bytes;
  std::int64_t unit;  ///< of displacements, in bytes
};

/// The targets of a window that MPI_Win_create makes.
class WindowTargets : public Targets {
 public:
  /// Collective over `comm`, whose ranks are all of this library's, on host `host`: maps what each rank has
  /// in its device. Null where that is nowhere, the same in all ranks. Throws InvalidArgument in all ranks
  /// where one of them cannot export or map some, with the reason where it is known; MpiError.
  static std::unique_ptr<WindowTargets> of(const WindowMemory& own, MPI_Comm comm, int host);

  int device() const noexcept override { return device_; }
  bool reaches(const TargetMemory& target) noexcept override;
  gpu::Side side_of(const TargetMemory& target, const Plan& plan) override;
  MPI_Aint byte_of(int) const noexcept override { return 0; }

 private:
  struct Told;
  struct Target {
    std::byte* address = nullptr;  ///< null where it is the host's
    std::int64_t bytes = 0;
    std::int64_t unit = 1;
    int device = -1;
    std::optional<gpu::ImportedMemory> mapping;
  };

  WindowTargets(const WindowMemory& own, int rank, const std::vector<Told>& told);
  static bool makes_sense(const Told& told) noexcept;

  int device_;
  std::vector<Target> targets_;
};

/// Whether it is for a device only, and not for the MPI.
bool is_a_devices(const WindowMemory& memory);

}  // namespace typewarp::interpose
