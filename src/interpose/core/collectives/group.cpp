// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/group.hpp"

#include "transport/collective/neighbours.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>

namespace typewarp::interpose {

Group all_of(MPI_Comm comm) {
  Group group;
  if (comm == MPI_COMM_NULL) return group;
  int between_groups = 0;
  int size = 0;
  mpi::check(PMPI_Comm_test_inter(comm, &between_groups), "MPI_Comm_test_inter");
  mpi::check(PMPI_Comm_rank(comm, &group.rank), "MPI_Comm_rank");
  mpi::check(PMPI_Comm_size(comm, &size), "MPI_Comm_size");
  group.is_known = true;
  group.between_groups = between_groups != 0;
  group.size = static_cast<std::size_t>(size);
  if (group.between_groups) mpi::check(PMPI_Comm_remote_size(comm, &size), "MPI_Comm_remote_size");
  group.sends = group.receives = static_cast<std::size_t>(size);
  return group;
}

Group neighbours_of(MPI_Comm comm) {
  Group group;
  if (comm == MPI_COMM_NULL) return group;
  int topology = MPI_UNDEFINED;
  mpi::check(PMPI_Topo_test(comm, &topology), "MPI_Topo_test");
  if (topology == MPI_UNDEFINED) return group;
  group.is_known = true;
  int sources = 0;
  int destinations = 0;
  int weighted = 0;
  if (topology == MPI_DIST_GRAPH) {
    mpi::check(PMPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted),
               "MPI_Dist_graph_neighbors_count");
  } else if (topology == MPI_CART) {
    mpi::check(PMPI_Cartdim_get(comm, &sources), "MPI_Cartdim_get");
    sources = destinations = 2 * sources;
  } else {
    mpi::check(PMPI_Comm_rank(comm, &group.rank), "MPI_Comm_rank");
    mpi::check(PMPI_Graph_neighbors_count(comm, group.rank, &sources), "MPI_Graph_neighbors_count");
    destinations = sources;
  }
  group.sends = static_cast<std::size_t>(destinations);
  group.receives = static_cast<std::size_t>(sources);
  return group;
}

bool some_source_is_nobody(MPI_Comm comm) {
  using transport::Neighbours;
  return std::ranges::any_of(transport::in_topology(comm).sources,
                             [](const Neighbours::Edge& edge) { return edge.rank == MPI_PROC_NULL; });
}

Participants::Participants(const Group& group, int root) noexcept {
  const auto size = static_cast<int>(group.size);
  if (group.between_groups || size < 2 || root < 0 || root >= size) return;
  all = size;
  own = group.rank;
  is_root = own == root;
}

}  // namespace typewarp::interpose
