// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/data.hpp"

#include <mpi.h>

#include <cstdint>
#include <utility>

namespace typewarp::interpose {

/// A committed datatype of `size` consecutive bytes, which the caller frees. Throws MpiError.
MPI_Datatype byte_type(std::int64_t size);

/// The datatype of packed items: the program's own one if it is predefined and has no gaps, since making
/// another takes longer than packing a few items, else one of as many bytes.
class PackedType {
 public:
  /// Throws MpiError.
  PackedType(const Data& data, MPI_Datatype own);
  PackedType(PackedType&& other) noexcept
      : type_(other.type_), made_(std::exchange(other.made_, MPI_DATATYPE_NULL)) {}
  PackedType& operator=(PackedType&&) = delete;
  ~PackedType() {
    if (made_ != MPI_DATATYPE_NULL) PMPI_Type_free(&made_);
  }

  MPI_Datatype get() const noexcept { return type_; }

 private:
  MPI_Datatype type_;
  MPI_Datatype made_ = MPI_DATATYPE_NULL;  ///< if it is not the program's
};

}  // namespace typewarp::interpose
