// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/gpu.hpp"

#include <typewarp/plan.hpp>

#include <mpi.h>

#include <cstdint>
#include <string>

namespace typewarp::interpose {

/// (target_rank, target_disp, target_count, target_datatype) of a one-sided call.
struct TargetMemory {
  int rank;
  MPI_Aint displacement;
  std::int64_t count;
  MPI_Datatype type;
};

/// The memory of a window's ranks that only a device reaches, as the device of this rank addresses it.
class Targets {
 public:
  Targets() = default;
  Targets(const Targets&) = delete;
  Targets& operator=(const Targets&) = delete;
  virtual ~Targets() = default;

  /// That moves what these calls move.
  virtual int device() const noexcept = 0;
  /// Whether a call there is for a device to make, or to be refused, and not the MPI's. Throws Error where
  /// that cannot be told.
  virtual bool reaches(const TargetMemory& target) = 0;
  /// What a call names, if it is reached. Throws MpiError of class MPI_ERR_RMA_RANGE where that is not within
  /// what the rank has given, InvalidArgument where it cannot be mapped.
  virtual gpu::Side side_of(const TargetMemory& target, const Plan& plan) = 0;
  /// The displacement of a byte of that rank which the MPI's window has.
  virtual MPI_Aint byte_of(int rank) const noexcept = 0;
};

/// What the ranks of a communicator say.
struct Answers {
  bool any;          ///< whether one said yes
  bool is_one_host;  ///< whether all are on one host
};
/// Collective. `host` is the number of this rank's host. Throws MpiError.
Answers ask(MPI_Comm comm, bool own, int host);

/// Throws MpiError of a class, of which the MPI has told nobody yet.
[[noreturn]] void fail(int error_class, const std::string& description);

}  // namespace typewarp::interpose
