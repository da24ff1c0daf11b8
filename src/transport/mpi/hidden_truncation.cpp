// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/hidden_truncation.hpp"

#include <typewarp/mpi.hpp>

namespace typewarp::transport {

#ifdef OPEN_MPI

std::int64_t room_that_tells(std::int64_t bytes, const Peer& from) {
  constexpr std::int64_t longest_hidden = 4096;  // the limit is 1,024, if nobody sets it
  if (bytes >= longest_hidden) return bytes;
  int self = 0;
  mpi::check(MPI_Comm_rank(from.comm, &self), "MPI_Comm_rank");
  return from.rank == self || from.rank == MPI_ANY_SOURCE ? bytes + 1 : bytes;
}

#else

std::int64_t room_that_tells(std::int64_t bytes, const Peer&) { return bytes; }

#endif

}  // namespace typewarp::transport
