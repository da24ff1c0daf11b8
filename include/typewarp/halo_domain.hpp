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
  std::vector<int> processes = {};  ///< along each dimension, 0 where the MPI chooses; empty: everywhere
  std::vector<bool> periodic = {};  ///< each dimension; empty: none
  // NOLINTEND(readability-redundant-member-init)
  std::int64_t width = 1;  ///< of halos, in cells, on every side
};

/// The short way: a grid of cells of which each process owns equally many, with arrays in C order that have a
/// halo of one width around them. After ImplicitGlobalGrid: make the domain, exchange, overlap.
///
///     halo::Domain domain(MPI_COMM_WORLD, {nx, ny, nz});
///     // u and v: domain.elements() numbers each
///     halo::Exchange halos = domain.exchange_init(u, v);
///     ...
///     halos.exchange(stream);
class Domain {
 public:
  /// Collective over `comm`. `cells` is what each process owns along each dimension, halos not counted.
  /// Throws InvalidArgument for `comm`, before it communicates, "cells..." and "options...", and then
  /// Disagreement in the others, as in all where they do not give the same; MpiError.
  Domain(MPI_Comm comm, std::vector<std::int64_t> cells, const DomainOptions& options = {});

  const ProcessGrid& grid() const noexcept { return grid_; }
  std::size_t dimensions() const noexcept { return cells_.size(); }
  const std::vector<std::int64_t>& cells() const noexcept { return cells_; }
  /// Of all processes.
  std::vector<std::int64_t> global_cells() const;
  /// Global index of the first cell that this process owns.
  std::vector<std::int64_t> origin() const;

  // Arrays may be staggered: with one element more than cells in the dimensions of `staggered`, between the
  // cells or at their faces. The last of these is the neighbour's first, and comes from there; at the end of
  // a dimension that is not periodic it belongs to the array's user. Throws InvalidArgument for a dimension
  // that there is not.

  /// Lengths of an array, halos included.
  std::vector<std::int64_t> shape(const std::vector<int>& staggered = {}) const;
  /// Elements of an array, halos included.
  std::int64_t elements(const std::vector<int>& staggered = {}) const;
  /// Of an array, one a dimension.
  std::vector<Descriptor> descriptors(const std::vector<int>& staggered = {}) const;

  /// Collective. Prepares the exchange of all these arrays at once; arrays that are staggered, or of other
  /// layouts, are given as Field.
  template <typename... Arrays>
  Exchange exchange_init(Arrays&&... arrays) const {
    std::vector<Field> fields;
    (fields.push_back(field_of(std::forward<Arrays>(arrays))), ...);
    return {grid_, std::move(fields)};
  }

  /// Indices, halos included, of the owned cells that are at least `width` away from a side where this
  /// process has a neighbour: whose stencils of that reach need no halo. Empty ranges if there are none.
  Box interior() const;
  /// The other owned cells, each in one box: at most two for each dimension.
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
