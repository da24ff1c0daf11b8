// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>

/// Collective calls of device memory by NCCL itself: the peer. As the library finds it: TYPEWARP_NCCL, or the
/// system's.
namespace typewarp::collectives_bench {

class Nccl {
 public:
  /// Collective. Ends the program with 77 where there is none.
  explicit Nccl(MPI_Comm comm);
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;
  ~Nccl();

  // Each returns when it is done.
  void allreduce(const float* from, float* to, std::size_t count) const;
  void bcast(float* buffer, std::size_t count) const;
  void allgather(const float* from, float* to, std::size_t count_of_each) const;
  void alltoall(const float* from, float* to, std::size_t count_of_each) const;

 private:
  struct State;
  State* state_;
};

}  // namespace typewarp::collectives_bench
