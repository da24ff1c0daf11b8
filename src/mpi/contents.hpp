// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace typewarp::mpi {

/// A combiner by its number: MPIs number them differently, and some have fewer.
using Combiner = int;

/// The call that made a datatype, and a reading position in its arguments (MPI 5.0, section 5.1.13). Owns the
/// handles that the MPI hands out, and frees those that are not predefined. While it lives, a handle of a
/// child means that child; what is used in several places has one handle there, wherever an MPI lets that be
/// seen.
///
/// MPI spreads the arguments over arrays of int, MPI_Aint and, for types made by `_c` calls, MPI_Count;
/// within each array they lie in the order of the call. Reading them in that order by what they mean
/// therefore needs no distinction between the two forms.
class Contents {
 public:
  /// Throws MpiError.
  explicit Contents(MPI_Datatype datatype);
  Contents& operator=(Contents&&) = delete;
  ~Contents();

  Combiner combiner() const noexcept { return combiner_; }
  /// Whether the datatype itself is predefined: named, or one of Fortran's parametrised kinds.
  bool predefined() const noexcept;

  /// An int in both forms: a number of dimensions, a storage order, a rank.
  int integer() { return integers_.at(next_integer_++); }
  std::vector<int> integers(int n);
  /// A count, a block length, a displacement in extents: an MPI_Count if made by a `_c` call, else an int.
  std::int64_t count();
  std::vector<std::int64_t> counts(std::int64_t n);
  /// A displacement in bytes: an MPI_Count if made by a `_c` call, else an MPI_Aint.
  std::int64_t displacement();
  std::vector<std::int64_t> displacements(std::int64_t n);

  const std::vector<MPI_Datatype>& children() const noexcept { return children_; }

 private:
  Combiner combiner_ = 0;
  std::vector<int> integers_;
  std::vector<MPI_Aint> addresses_;
  std::vector<MPI_Count> large_counts_;
  std::vector<MPI_Datatype> children_;
  bool owns_children_ = true;
  std::size_t next_integer_ = 0;
  std::size_t next_address_ = 0;
  std::size_t next_large_count_ = 0;
};

/// Whether `combiner` belongs to a predefined datatype, which must not be freed.
bool is_predefined(Combiner combiner) noexcept;

}  // namespace typewarp::mpi
