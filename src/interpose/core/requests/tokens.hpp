// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/mpi/tags.hpp"

#include <typewarp/mpi.hpp>

#include <mpi.h>

#include <limits>

namespace typewarp::interpose {

/// Messages without bytes from this rank to itself, by whose persistent receives programs know persistent
/// operations: those of generalized requests cannot be started again.
class Tokens {
 public:
  /// After MPI_Init. Throws MpiError.
  void open(MPI_Comm self) { mpi::check(PMPI_Comm_dup(self, &self_), "MPI_Comm_dup"); }
  void close() noexcept { PMPI_Comm_free(&self_); }

  transport::Tag take_tag() { return tags_.take(); }
  /// An inactive persistent receive. Throws MpiError.
  MPI_Request receive(const transport::Tag& tag) const {
    MPI_Request made = MPI_REQUEST_NULL;
    mpi::check(PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, tag.value(), self_, &made), "MPI_Recv_init");
    return made;
  }
  void send(const transport::Tag& tag) const noexcept {
    PMPI_Send(nullptr, 0, MPI_BYTE, 0, tag.value(), self_);
  }

 private:
  MPI_Comm self_ = MPI_COMM_NULL;
  transport::Tags tags_{std::numeric_limits<int>::max()};  ///< the MPI refuses tags beyond its own limit
};

}  // namespace typewarp::interpose
