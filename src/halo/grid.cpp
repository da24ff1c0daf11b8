// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/halo_grid.hpp>

#include "halo/agreement.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace typewarp::halo {
namespace {

constexpr std::string_view call = "typewarp::halo::ProcessGrid";

MPI_Comm create(MPI_Comm comm, std::vector<int> sizes, const std::vector<bool>& periodic) {
  const int ranks = ranks_of(call, "comm", comm);
  std::vector<int> periods(periodic.begin(), periodic.end());
  together(comm, [&] {
    complete(call, "sizes", sizes, ranks);
    if (!periodic.empty() && periodic.size() != sizes.size()) {
      throw InvalidArgument(call, "periodic.size()", static_cast<long long>(periodic.size()),
                            "must be " + std::to_string(sizes.size()) + ", one entry a dimension");
    }
    periods.resize(sizes.size(), 0);
  });
  std::vector<SharedSetting> choices{{"sizes.size()", static_cast<std::int64_t>(sizes.size())}};
  add_choices(choices, "sizes", sizes);
  add_choices(choices, "periodic", periods);
  check_same(comm, choices);
  MPI_Comm cartesian = MPI_COMM_NULL;
  constexpr int in_order = 0;
  mpi::check(MPI_Cart_create(comm, static_cast<int>(sizes.size()), sizes.data(), periods.data(), in_order,
                             &cartesian),
             "MPI_Cart_create");
  return cartesian;
}

MPI_Comm duplicate(MPI_Comm cartesian) {
  check_communicator(call, "cartesian", cartesian);
  int topology = MPI_UNDEFINED;
  mpi::check(MPI_Topo_test(cartesian, &topology), "MPI_Topo_test");
  int dimensions = 0;
  if (topology == MPI_CART) mpi::check(MPI_Cartdim_get(cartesian, &dimensions), "MPI_Cartdim_get");
  if (dimensions < 1 || dimensions > static_cast<int>(max_dimensions)) {
    throw InvalidArgument(call, "cartesian",
                          "a communicator of " + std::to_string(dimensions) + " dimensions",
                          "must have a Cartesian topology of 1 to " + std::to_string(max_dimensions));
  }
  MPI_Comm own = MPI_COMM_NULL;
  mpi::check(MPI_Comm_dup(cartesian, &own), "MPI_Comm_dup");
  return own;
}

}  // namespace

int ranks_of(std::string_view caller, std::string_view argument, MPI_Comm comm) {
  check_communicator(caller, argument, comm);
  int ranks = 0;
  mpi::check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  return ranks;
}

void complete(std::string_view caller, const std::string& name, std::vector<int>& sizes, int ranks) {
  if (sizes.empty() || sizes.size() > max_dimensions) {
    throw InvalidArgument(caller, name + ".size()", static_cast<long long>(sizes.size()),
                          "must be 1 to " + std::to_string(max_dimensions) + ", one a dimension");
  }
  std::int64_t given = 1;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::string entry = name + "[" + std::to_string(d) + "]";
    if (sizes[d] < 0) throw InvalidArgument(caller, entry, sizes[d], "must not be negative");
    given *= std::max(sizes[d], 1);
    if (given > ranks || ranks % given != 0) {
      throw InvalidArgument(caller, entry, sizes[d],
                            "with those before it must divide the " + std::to_string(ranks) + " ranks");
    }
  }
  if (std::ranges::find(sizes, 0) == sizes.end() && given != ranks) {
    throw InvalidArgument(caller, name, std::to_string(given) + " processes",
                          "must be all " + std::to_string(ranks) + " ranks");
  }
  mpi::check(MPI_Dims_create(ranks, static_cast<int>(sizes.size()), sizes.data()), "MPI_Dims_create");
}

ProcessGrid::State::~State() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

std::shared_ptr<const ProcessGrid::State> ProcessGrid::adopt(MPI_Comm cartesian) {
  const auto state = std::make_shared<State>();
  state->comm = cartesian;
  int dimensions = 0;
  mpi::check(MPI_Cartdim_get(cartesian, &dimensions), "MPI_Cartdim_get");
  const auto entries = static_cast<std::size_t>(dimensions);
  std::vector<int> periods(entries);
  state->sizes.resize(entries);
  state->coordinates.resize(entries);
  mpi::check(
      MPI_Cart_get(cartesian, dimensions, state->sizes.data(), periods.data(), state->coordinates.data()),
      "MPI_Cart_get");
  state->periodic.assign(periods.begin(), periods.end());
  mpi::check(MPI_Comm_rank(cartesian, &state->rank), "MPI_Comm_rank");
  mpi::check(MPI_Comm_size(cartesian, &state->ranks), "MPI_Comm_size");
  return state;
}

ProcessGrid::ProcessGrid(MPI_Comm comm, std::vector<int> sizes, const std::vector<bool>& periodic)
    : state_(adopt(create(comm, std::move(sizes), periodic))) {}

ProcessGrid::ProcessGrid(MPI_Comm cartesian) : state_(adopt(duplicate(cartesian))) {}

int ProcessGrid::neighbour(const Direction& direction) const {
  constexpr std::string_view here = "typewarp::halo::ProcessGrid::neighbour";
  if (direction.size() != dimensions()) {
    throw InvalidArgument(here, "direction.size()", static_cast<long long>(direction.size()),
                          "must be " + std::to_string(dimensions()) + ", one step a dimension");
  }
  for (std::size_t d = 0; d < dimensions(); ++d) {
    if (direction[d] >= -1 && direction[d] <= 1) continue;
    throw InvalidArgument(here, "direction[" + std::to_string(d) + "]", direction[d], "must be -1, 0 or 1");
  }
  std::vector<int> there = coordinates();
  for (std::size_t d = 0; d < dimensions(); ++d) there[d] += direction[d];
  return rank_of(std::move(there));
}

int ProcessGrid::rank_of(std::vector<int> there) const {
  if (there.size() != dimensions()) {
    throw InvalidArgument("typewarp::halo::ProcessGrid::rank_of", "coordinates.size()",
                          static_cast<long long>(there.size()),
                          "must be " + std::to_string(dimensions()) + ", one a dimension");
  }
  for (std::size_t d = 0; d < dimensions(); ++d) {
    const int size = sizes()[d];
    if ((there[d] < 0 || there[d] >= size) && !periodic()[d]) return MPI_PROC_NULL;
    there[d] = (there[d] % size + size) % size;
  }
  int rank = MPI_PROC_NULL;
  mpi::check(MPI_Cart_rank(comm(), there.data(), &rank), "MPI_Cart_rank");
  return rank;
}

}  // namespace typewarp::halo
