// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stencil2d/domain.hpp"
#include "stencil2d/halo/halo.hpp"
#include "common/memory.hpp"
#include "stencil2d/phases.hpp"
#include "common/progress.hpp"

#include <mpi.h>

#include <cstdint>

namespace stencil2d {

/// One rank's part of the field and the loop over it. With a halo of width h, h iterations follow each
/// exchange: the first of them also computes h - 1 points beyond the owned ones, the next one less. For float
/// and double.
template <typename T>
class Solver {
 public:
  /// Allocates the field in memory of `kind` and sets its initial values; does not communicate. `comm` is not
  /// duplicated.
  Solver(const Domain& domain, typewarp::MemoryKind kind, MPI_Comm comm);

  /// Collective. Returns this rank's times, which leave out what is made first to warm up: an exchange of
  /// both arrays between which the iterations alternate, and a sweep.
  PhaseTimes run(std::int64_t iterations, bool by_side, Halo& halo, apps::Progress& progress);

  /// The field now: domain.stored_elements() elements in memory of the kind asked for.
  T* field() const noexcept { return reinterpret_cast<T*>(current_.data()); }
  const apps::OwnedStream& stream() const noexcept { return stream_; }

 private:
  void set_initial_values();
  /// Computes next_ from current_ on the owned points and `reach` more towards each neighbour.
  void sweep_field(std::int64_t reach);

  Domain domain_;
  typewarp::MemoryKind kind_;
  MPI_Comm comm_;
  apps::OwnedStream stream_;
  apps::Buffer current_;
  apps::Buffer next_;
};

}  // namespace stencil2d
