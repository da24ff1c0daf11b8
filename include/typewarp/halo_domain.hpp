// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/halo.hpp>

#include <utility>
#include <vector>

namespace typewarp::halo {

/// The processes of a Domain, and its halos.
struct DomainOptions {
  // NOLINTBEGIN(readability-redundant-member-init): may be left out
  std::vector<int> processes = {};  ///< along each dimension, 0: the MPI chooses; empty: all 0
  std::vector<bool> periodic = {};  ///< for each dimension; empty: none is
  // NOLINTEND(readability-redundant-member-init)
  std::int64_t width = 1;  ///< of halos, in cells, on every side
};

/// The short way: a grid of cells, of which each process owns the same number, and arrays in C order with a
/// halo of the same width on all sides. Modelled on ImplicitGlobalGrid: make the domain, exchange, overlap.
///
///     halo::Domain domain(MPI_COMM_WORLD, {nx, ny, nz});
///     // u and v: domain.elements() numbers each
///     halo::Exchange halos = domain.exchange_init(u, v);
///     ...
///     halos.exchange(stream);
class Domain {
 public:
  /// Collective over `comm`. `cells` is what each process owns along each dimension, without halos. Throws
  /// InvalidArgument for `comm`, before it communicates, and for "cells..." and "options...", and then
  /// Disagreement in the other processes; Disagreement in all if they give different ones; MpiError.
  Domain(MPI_Comm comm, std::vector<std::int64_t> cells, const DomainOptions& options = {});

  const ProcessGrid& grid() const noexcept { return grid_; }
  std::size_t dimensions() const noexcept { return cells_.size(); }
  const std::vector<std::int64_t>& cells() const noexcept { return cells_; }
  /// Of all processes.
  std::vector<std::int64_t> global_cells() const;
  /// Global index of the first cell that this process owns.
  std::vector<std::int64_t> origin() const;

  // Arrays may be staggered: they have one element more than cells in the dimensions of `staggered`, for
  // values at the faces of cells. The last one is the neighbour's first one, and is received from it; at the
  // end of a dimension that is not periodic, the program sets it. Throws InvalidArgument for a dimension that
  // does not exist.

  /// Lengths of an array, halos included.
  std::vector<std::int64_t> shape(const std::vector<int>& staggered = {}) const;
  /// Elements of an array, halos included.
  std::int64_t elements(const std::vector<int>& staggered = {}) const;
  /// Descriptors of an array, one per dimension.
  std::vector<Descriptor> descriptors(const std::vector<int>& staggered = {}) const;

  /// Collective. Prepares the exchange of all these arrays together. Pass arrays that are staggered, or that
  /// have other layouts, as Field.
  template <typename... Arrays>
  Exchange exchange_init(Arrays&&... arrays) const {
    std::vector<Field> fields;
    (fields.push_back(field_of(std::forward<Arrays>(arrays))), ...);
    return {grid_, std::move(fields)};
  }

  /// Indices (halos included) of the owned cells that are at least `width` away from each side on which this
  /// process has a neighbour: stencils of that reach need no halo there. Empty ranges if there are none.
  Box interior() const;
  /// The other owned cells, each in one box: at most two boxes per dimension.
  std::vector<Box> boundary() const;

 private:
  template <typename T>
  Field field_of(T* data) const {
    return Field(data, descriptors());
  }
  Field field_of(Field field) const { return field; }

  std::vector<std::int64_t> cells_;
  std::int64_t width_;
  ProcessGrid grid_;
};

}  // namespace typewarp::halo
