// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/stopwatch.hpp"
#include "lammps/atoms.hpp"
#include "lammps/move/mapped_arrays.hpp"
#include "lammps/move/staging.hpp"
#include "lammps/move/transfer.hpp"
#include "lammps/times.hpp"

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace lammps {

/// What ranks send each other, in the manner of LAMMPS: along x, then y, then z, to the rank below and to the
/// one above, so that edges and corners need no messages of their own. A rank that is its own neighbour sends
/// to itself. The host decides from the positions which atoms go where; all calls are collective, and add to
/// the times of the phases.
class Communication {
 public:
  /// `atoms` live as long. Throws apps::Refusal where ranks do not reach each other that way.
  Communication(const Domain& domain, By way, Atoms& atoms, MPI_Comm comm);
  ~Communication();

  /// Gives atoms that have left this rank's part of the box to the rank that they are in. There are no ghosts
  /// then.
  void migrate(Times& times);
  /// Makes ghosts of all atoms of other ranks, and of all images, that are near enough.
  void make_ghosts(Times& times);

  /// Brings the positions of ghosts up to date.
  void forward(Times& times);
  /// Adds the forces on ghosts to those on the atoms that they stand for.
  void reverse(Times& times);

  /// Of all atoms and ghosts: which image it is.
  const std::vector<Image>& images() const noexcept { return images_; }

 private:
  /// What goes one way along an axis: atoms of the list to one neighbour, and ghosts from the other.
  struct Swap {
    int to, from;
    std::int64_t start = 0, size = 0;   ///< in the list of the axis, and of the forces that come back for it
    std::int64_t first = 0, count = 0;  ///< ghosts
  };
  struct Both {
    std::array<Swap, 2> swaps;  ///< down and up
    Mirror<std::int32_t> list;  ///< of the one, then of the other

    void assign(std::vector<std::int32_t> down, const std::vector<std::int32_t>& up, const Place& place);
  };

  void migrate(std::size_t axis, Times& times);
  void make_ghosts(std::size_t axis, Times& times);
  void add_ghosts(Swap& swap, std::size_t axis, int direction, const std::vector<Image>& outgoing);
  void prepare(Times& times);
  Parts parts_of(const Both& both, const std::vector<Column>& from, const std::vector<Column>& to) const;
  Parts reverse_parts_of(const Both& both) const;
  std::int64_t exchanged(std::int64_t mine, int to, int from) const;

  const Domain& domain_;
  Atoms& atoms_;
  MPI_Comm comm_;
  std::vector<Image> images_;
  Axes<Both> both_;
  std::optional<MappedArrays> arrays_;
  Means means_;
  Axes<Staging> staging_;
  Axes<std::unique_ptr<Transfer>> forward_, reverse_;
};

}  // namespace lammps
