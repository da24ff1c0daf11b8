// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/datatype.hpp"
#include "stencil2d/domain.hpp"
#include "stencil2d/halo/halo.hpp"
#include "stencil2d/halo/side_watch.hpp"

#include <mpi.h>

namespace stencil2d {

/// As 001 (section V-B) would have it: rows and columns are derived datatypes, sent and received where they
/// lie, by plain MPI calls. Memory of a GPU needs an MPI that takes it, or the preload library. Rows go
/// first, then columns, as by hand.
class HaloByMpi final : public Halo {
 public:
  HaloByMpi(const Domain& domain, MPI_Datatype element, MPI_Comm comm);

  void exchange(std::byte* field, const apps::OwnedStream& stream, PhaseTimes& times) override;
  std::int64_t bytes_sent() const noexcept override;

 private:
  /// A neighbour, and the first elements that it gets and that it sends.
  struct Edge {
    Side side;
    int neighbour;
    std::byte* outgoing;
    std::byte* incoming;
  };
  void trade(const Edge& low, const Edge& high, MPI_Datatype datatype, SideWatch& watch) const;

  Domain domain_;
  MPI_Comm comm_;
  std::int64_t element_bytes_;
  apps::Datatype rows_, columns_;
};

}  // namespace stencil2d
