// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/data.hpp"

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace typewarp::interpose {

/// A committed datatype of `size` consecutive bytes, which the caller frees. Throws MpiError.
MPI_Datatype byte_type(std::int64_t size);

/// Datatypes of packed items: the program's own ones if they are predefined and have no gaps, since making
/// another takes longer than packing a few items, else ones of as many bytes.
class PackedTypes {
 public:
  PackedTypes& operator=(PackedTypes&&) = delete;
  ~PackedTypes();

  /// Throws MpiError.
  void add(const Data& data, MPI_Datatype own);
  const MPI_Datatype* data() const noexcept { return types_.data(); }

 private:
  std::vector<MPI_Datatype> types_, made_;
};

}  // namespace typewarp::interpose
