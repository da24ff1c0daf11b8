// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/alltoallv.hpp"

#include "interpose/core/buffers/plans.hpp"
#include "transport/collective/neighbours.hpp"

#include <typewarp/mpi.hpp>

#include <array>
#include <numeric>
#include <utility>

namespace typewarp::interpose::alltoallv {
namespace {

/// Whether nonblocking exchanges of the MPI's take the two blocks from a neighbour on both sides for each
/// other, as those of Open MPI do, since it sends them alike. Found by one with this process itself.
bool mixes_up_sides() {
  static const bool found = [] {
    constexpr int one = 1;
    constexpr std::array counts{1, 1};
    constexpr std::array places{0, 1};
    const std::array<char, 2> sent{'d', 'u'};
    std::array<char, 2> received{};
    MPI_Comm ring = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(PMPI_Cart_create(own_comm(), one, &one, &one, 0, &ring), "MPI_Cart_create");
    PMPI_Ineighbor_alltoallv(sent.data(), counts.data(), places.data(), MPI_CHAR, received.data(),
                             counts.data(), places.data(), MPI_CHAR, ring, &request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    PMPI_Comm_free(&ring);
    return received == sent;
  }();
  return found;
}

}  // namespace

std::vector<std::size_t> order_of_sends(MPI_Comm comm, std::size_t sends) {
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &topology);
  if (topology != MPI_CART || !mixes_up_sides()) return {};
  std::vector<std::size_t> order(sends);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const transport::Neighbours neighbours = transport::in_topology(comm);
  bool is_the_programs = true;
  for (std::size_t down = 0; down + 1 < sends; down += 2) {
    if (neighbours.destinations[down].rank != neighbours.destinations[down + 1].rank) continue;
    std::swap(order[down], order[down + 1]);
    is_the_programs = false;
  }
  if (is_the_programs) return {};
  return order;
}

}  // namespace typewarp::interpose::alltoallv
