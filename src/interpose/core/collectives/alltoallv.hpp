// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/call_blocks.hpp"
#include "interpose/core/job/job.hpp"

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace typewarp::interpose {

/// The arguments of MPI_Alltoallv, or of MPI_Neighbor_alltoallv, as which another call is made.
struct ExchangeArguments {
  enum class Among : std::uint8_t { all, neighbours };

  Among among;
  MPI_Comm comm;
  const void* sendbuf;
  MPI_Datatype sendtype;
  void* recvbuf;
  MPI_Datatype recvtype;
  // One for each rank or neighbour.
  std::vector<MPI_Count> sendcounts, recvcounts;
  std::vector<MPI_Aint> sdispls, rdispls;
};

/// What the first exchange on a communicator does in all ranks, for one in which this rank has no messages,
/// whatever others have. Throws MpiError.
void open_exchanges(MPI_Comm comm, const Everyone& everyone, const Form& form);

/// Makes it, in all ranks alike, which all have this library. Returns the call's code.
int exchange(const std::shared_ptr<const ExchangeArguments>& arguments, const Everyone& everyone,
             const Form& form) noexcept;

}  // namespace typewarp::interpose
