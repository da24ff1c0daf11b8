// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/halo_descriptor.hpp>

#include <mpi.h>

#include <memory>
#include <vector>

namespace typewarp::halo {

/// A Cartesian grid of processes with 1 to max_dimensions dimensions, each of which may be periodic. The last
/// dimension varies fastest in the ranks. A shared handle: copying costs a reference count. The last copy
/// must be destroyed before MPI_Finalize.
class ProcessGrid {
 public:
  /// Collective over `comm`, which may be freed afterwards; ranks keep their order. `sizes` are the processes
  /// along each dimension; MPI_Dims_create chooses those that are 0. `periodic` has an entry per dimension;
  /// empty: none is. Throws InvalidArgument for `comm`, before it communicates, and for a wrong number of
  /// dimensions, "sizes[d]", "periodic", and sizes that do not make up all ranks, and then Disagreement
  /// (halo_disagreement.hpp) in the others; Disagreement in all if they give different ones; MpiError.
  ProcessGrid(MPI_Comm comm, std::vector<int> sizes, const std::vector<bool>& periodic = {});
  /// Collective. The grid of a communicator made by MPI_Cart_create, with its sizes and periods. Throws
  /// InvalidArgument for another communicator; MpiError.
  explicit ProcessGrid(MPI_Comm cartesian);

  std::size_t dimensions() const noexcept { return state_->sizes.size(); }
  const std::vector<int>& sizes() const noexcept { return state_->sizes; }
  const std::vector<bool>& periodic() const noexcept { return state_->periodic; }
  /// This process's.
  const std::vector<int>& coordinates() const noexcept { return state_->coordinates; }
  int rank() const noexcept { return state_->rank; }

  int ranks() const noexcept { return state_->ranks; }
  /// The grid's own communicator, with its topology.
  MPI_Comm comm() const noexcept { return state_->comm; }

  /// The rank in `direction`, which may be this one; MPI_PROC_NULL beyond a side that is not periodic. Throws
  /// InvalidArgument for "direction" unless it has one step of -1, 0 or 1 per dimension.
  int neighbour(const Direction& direction) const;
  /// The rank at `coordinates`, which wrap around in a periodic dimension; MPI_PROC_NULL beyond a side of
  /// another. Throws InvalidArgument for "coordinates.size()" unless there is one per dimension.
  int rank_of(std::vector<int> coordinates) const;

 private:
  struct State {
    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State();

    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0;
    int ranks = 1;
    std::vector<int> sizes, coordinates;
    std::vector<bool> periodic;
  };
  static std::shared_ptr<const State> adopt(MPI_Comm cartesian);

  std::shared_ptr<const State> state_;
};

}  // namespace typewarp::halo
