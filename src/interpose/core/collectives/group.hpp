// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace typewarp::interpose {

/// Who takes part in a collective call, as this rank sees it. Nobody of MPI_COMM_NULL, and of one
/// without a topology where neighbours are asked for.
struct Group {
  bool is_known = false;  ///< not where there is nobody of whom it could be one
  bool between_groups = false;
  int rank = -1;             ///< in the own group
  std::size_t size = 0;      ///< of the own group
  std::size_t sends = 0;     ///< ranks that a call of each with each sends to,
  std::size_t receives = 0;  ///< and receives from

  bool is_root(int root) const noexcept { return between_groups ? root == MPI_ROOT : root == rank; }
  /// Whether the root sends to this rank or receives from it. The root of one group does so with itself.
  bool is_leaf(int root) const noexcept { return !between_groups || root >= 0; }
};

/// Throw MpiError.
Group all_of(MPI_Comm comm);
Group neighbours_of(MPI_Comm comm);
/// Whether a call among neighbours leaves a block as it was: one that comes from nobody. Throws MpiError.
bool some_source_is_nobody(MPI_Comm comm);

/// Who takes part in a call of all ranks of one group, or from or to one of them. Nobody between groups, or
/// where there is only one rank, or the root is none of them.
struct Participants {
  Participants() = default;
  explicit Participants(const Group& group, int root = 0) noexcept;
  explicit operator bool() const noexcept { return all != 0; }

  int all = 0;
  int own = 0;
  bool is_root = false;
};

}  // namespace typewarp::interpose
