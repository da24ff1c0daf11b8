// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/mpi.hpp>

#include <utility>

namespace typewarp::test {

/// Owns a derived handle of the MPI, committed unless said otherwise; holds a named one.
class MpiType {
 public:
  enum class Commit { yes, no };

  explicit MpiType(MPI_Datatype handle, Commit commit = Commit::yes);
  MpiType(MpiType&& other) noexcept : handle_(std::exchange(other.handle_, MPI_DATATYPE_NULL)) {}
  MpiType& operator=(MpiType&&) = delete;
  ~MpiType();

  MPI_Datatype get() const noexcept { return handle_; }

 private:
  MPI_Datatype handle_;
};

}  // namespace typewarp::test
