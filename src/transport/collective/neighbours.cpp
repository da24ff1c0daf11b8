// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/collective/neighbours.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>

namespace typewarp::transport {
namespace {

// Messages between two ranks keep MPI's order.
constexpr int only_tag = 0;

std::size_t unsigned_of(int count) { return static_cast<std::size_t>(count); }

Neighbours in_grid(MPI_Comm comm) {
  int dimensions = 0;
  mpi::check(MPI_Cartdim_get(comm, &dimensions), "MPI_Cartdim_get");
  Neighbours found;
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    int down = MPI_PROC_NULL;
    int up = MPI_PROC_NULL;
    mpi::check(MPI_Cart_shift(comm, dimension, 1, &down, &up), "MPI_Cart_shift");
    const int downwards = 2 * dimension;
    const int upwards = downwards + 1;
    found.destinations.push_back({down, downwards});
    found.destinations.push_back({up, upwards});
    found.sources.push_back({down, upwards});
    found.sources.push_back({up, downwards});
  }
  return found;
}

std::vector<Neighbours::Edge> edges(const std::vector<int>& ranks) {
  std::vector<Neighbours::Edge> made;
  for (const int rank : ranks) made.push_back({rank, only_tag});
  return made;
}

Neighbours in_graph(MPI_Comm comm) {
  int rank = 0;
  int count = 0;
  MPI_Comm_rank(comm, &rank);
  mpi::check(MPI_Graph_neighbors_count(comm, rank, &count), "MPI_Graph_neighbors_count");
  std::vector<int> ranks(unsigned_of(count));
  mpi::check(MPI_Graph_neighbors(comm, rank, count, ranks.data()), "MPI_Graph_neighbors");
  return {edges(ranks), edges(ranks)};
}

Neighbours in_distributed_graph(MPI_Comm comm) {
  int in = 0;
  int out = 0;
  int weighted = 0;
  mpi::check(MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted), "MPI_Dist_graph_neighbors_count");
  std::vector<int> sources(unsigned_of(in)), destinations(unsigned_of(out));
  std::vector<int> source_weights(unsigned_of(in)), destination_weights(unsigned_of(out));
  mpi::check(MPI_Dist_graph_neighbors(comm, in, sources.data(), source_weights.data(), out,
                                      destinations.data(), destination_weights.data()),
             "MPI_Dist_graph_neighbors");
  return {edges(sources), edges(destinations)};
}

}  // namespace

Neighbours everybody(MPI_Comm comm) {
  int ranks = 0;
  mpi::check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  Neighbours all;
  for (int rank = 0; rank < ranks; ++rank) all.sources.push_back({rank, only_tag});
  all.destinations = all.sources;
  return all;
}

Neighbours in_topology(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  mpi::check(MPI_Topo_test(comm, &topology), "MPI_Topo_test");
  if (topology == MPI_CART) return in_grid(comm);
  if (topology == MPI_GRAPH) return in_graph(comm);
  if (topology == MPI_DIST_GRAPH) return in_distributed_graph(comm);
  return {};
}

int tags_on(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  int dimensions = 0;
  mpi::check(MPI_Topo_test(comm, &topology), "MPI_Topo_test");
  if (topology == MPI_CART) mpi::check(MPI_Cartdim_get(comm, &dimensions), "MPI_Cartdim_get");
  return std::max(1, 2 * dimensions);
}

}  // namespace typewarp::transport
