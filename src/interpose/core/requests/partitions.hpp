// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/data.hpp"
#include "transport/buffer/staging.hpp"

#include <mpi.h>

#include <cstdint>
#include <span>

namespace typewarp::interpose {

class Moves;

/// The partitions of one request, packed in host memory, from or into which the MPI moves each. The program
/// has another request, which stands for the MPI's. Threads may pack different partitions at once.
class Partitions {
 public:
  /// `data`: of all of them. Throws MpiError, GpuError, std::bad_alloc.
  Partitions(const Data& data, int partitions, MPI_Comm comm, bool receives);
  Partitions& operator=(Partitions&&) = delete;
  ~Partitions();

  /// What the MPI is given: as many items as the program gave, each packed.
  void* packed() const noexcept { return memory_.data(); }
  MPI_Datatype type() const noexcept { return type_; }
  MPI_Request& request() noexcept { return request_; }

  MPI_Comm comm() const noexcept { return comm_; }
  bool receives() const noexcept { return receives_; }
  bool has(int partition) const noexcept { return partition >= 0 && partition < partitions_; }
  std::int64_t bytes() const noexcept { return data_.bytes(); }
  /// Pack these by one launch, and return when that is done. They are ordered with the stream that the
  /// communicator has named, else with that of the calling thread, else with that of the thread that made
  /// this. They ignore numbers that are no partition's, which the MPI refuses. Throw GpuError.
  void pack(std::span<const int> partitions);
  void pack(int low, int high);
  /// Unpacks so many bytes, which have come.
  void unpack(Moves& moves, std::int64_t bytes) const;

 private:
  /// `n` partitions from `first` on.
  Data part(int first, int n) const noexcept;
  std::int64_t place(int partition) const noexcept { return partition * (bytes() / partitions_); }

  Data data_;
  int partitions_;
  MPI_Comm comm_;
  bool receives_;
  bool is_named_;  ///< whether the communicator, which may be freed before this, has named the stream
  transport::Staging memory_;
  MPI_Datatype type_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace typewarp::interpose
