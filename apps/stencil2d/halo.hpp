// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stencil2d/domain.hpp"
#include "stencil2d/phases.hpp"

#include <typewarp/plan.hpp>
#include <typewarp/transport.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace stencil2d {

/// Fills the halo of a local array from the four neighbours, as SHOC does: first whole rows to the north and
/// south, a contiguous type, then whole columns to the west and east, a vector type. The columns include the
/// halo rows that have just arrived, so the corners are right without messages to diagonal neighbours.
class Halo {
 public:
  /// The field's elements are of the named type `element`; the communicator is not duplicated.
  Halo(const Domain& domain, typewarp::Named element, MPI_Comm comm);

  /// Collective. `field` is memory of any kind that typewarp takes; the exchange starts after what `stream`
  /// holds and the halo is in place when it returns. Adds the time it took to `times`.
  void exchange(std::byte* field, typewarp::Stream stream, PhaseTimes& times) const;

  /// Packed bytes that this rank sends in one exchange.
  std::int64_t bytes_sent() const noexcept;

 private:
  /// One side of the domain: who is there, and the first element of what goes and of what comes.
  struct Side {
    int neighbour;
    std::int64_t outgoing;
    std::int64_t incoming;
  };
  void trade(std::byte* field, const typewarp::Plan& plan, const Side& low, const Side& high,
             typewarp::Stream stream, double& send_seconds, double& wait_seconds) const;

  MPI_Comm comm_;
  typewarp::Plan rows_;
  typewarp::Plan columns_;
  Side north_, south_, west_, east_;
  std::int64_t element_bytes_;
};

}  // namespace stencil2d
