// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/expect_invalid.hpp"
#include "transport/fixture.hpp"

#include <typewarp/halo_grid.hpp>

#include <algorithm>
#include <array>

namespace typewarp::halo {
namespace {

using test::invalid_argument;

class HaloGrid : public test::Session {};

TEST_F(HaloGrid, LetsTheMpiChooseSizes) {
  const ProcessGrid grid(comm_, {0, 0}, {true, false});
  EXPECT_EQ(grid.sizes()[0] * grid.sizes()[1], ranks_);
  EXPECT_EQ(grid.ranks(), ranks_);
  EXPECT_EQ(grid.rank(), rank_);
  EXPECT_EQ(grid.coordinates(), (std::vector{rank_ / grid.sizes()[1], rank_ % grid.sizes()[1]}));
  EXPECT_EQ(grid.periodic(), (std::vector{true, false}));
}

TEST_F(HaloGrid, KnowsNeighboursAndSides) {
  const ProcessGrid ring(comm_, {ranks_}, {true});
  EXPECT_EQ(ring.neighbour({1}), (rank_ + 1) % ranks_);
  EXPECT_EQ(ring.neighbour({-1}), (rank_ + ranks_ - 1) % ranks_);
  EXPECT_EQ(ring.neighbour({0}), rank_);
  const ProcessGrid row(comm_, {1, ranks_}, {true, false});
  EXPECT_EQ(row.neighbour({1, 0}), rank_);
  EXPECT_EQ(row.neighbour({1, 1}), rank_ + 1 < ranks_ ? rank_ + 1 : MPI_PROC_NULL);
  EXPECT_EQ(row.neighbour({-1, -1}), rank_ > 0 ? rank_ - 1 : MPI_PROC_NULL);
}

TEST_F(HaloGrid, KnowsRanksByTheirCoordinates) {
  const ProcessGrid grid(comm_, {ranks_, 1}, {false, true});
  for (int rank = 0; rank < ranks_; ++rank) EXPECT_EQ(grid.rank_of({rank, -3}), rank);
  EXPECT_EQ(grid.rank_of({-1, 0}), MPI_PROC_NULL);
  EXPECT_EQ(grid.rank_of({ranks_, 0}), MPI_PROC_NULL);
  EXPECT_EQ(invalid_argument([&] { grid.rank_of({0}); }), "coordinates.size()");
}

TEST_F(HaloGrid, TakesACartesianCommunicator) {
  const std::array sizes{ranks_, 1};
  const std::array periods{0, 1};
  MPI_Comm cartesian = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Cart_create(comm_, 2, sizes.data(), periods.data(), 0, &cartesian), MPI_SUCCESS);
  const ProcessGrid grid(cartesian);
  MPI_Comm_free(&cartesian);
  EXPECT_EQ(grid.sizes(), (std::vector{ranks_, 1}));
  EXPECT_EQ(grid.periodic(), (std::vector{false, true}));
  EXPECT_EQ(grid.neighbour({0, -1}), rank_);
}

TEST_F(HaloGrid, NamesWhatIsWrong) {
  EXPECT_EQ(invalid_argument([] { ProcessGrid(MPI_COMM_NULL, {1}); }), "comm");
  EXPECT_EQ(invalid_argument([&] { ProcessGrid(comm_, {}); }), "sizes.size()");
  EXPECT_EQ(invalid_argument([&] { ProcessGrid(comm_, std::vector<int>(9, 1)); }), "sizes.size()");
  EXPECT_EQ(invalid_argument([&] { ProcessGrid(comm_, {1, -1}); }), "sizes[1]");
  EXPECT_EQ(invalid_argument([&] { ProcessGrid(comm_, {1, ranks_ + 1}); }), "sizes[1]");
  EXPECT_EQ(invalid_argument([&] { ProcessGrid(comm_, {ranks_, 1}, {true}); }), "periodic.size()");
  EXPECT_EQ(invalid_argument([&] { ProcessGrid(comm_, {1, 1}); }), ranks_ > 1 ? "sizes" : "nothing");
  EXPECT_EQ(invalid_argument([&] { ProcessGrid{comm_}; }), "cartesian");
  EXPECT_EQ(invalid_argument([] { ProcessGrid{MPI_COMM_NULL}; }), "cartesian");
  const ProcessGrid grid(comm_, {0, 0});
  EXPECT_EQ(invalid_argument([&] { static_cast<void>(grid.neighbour({1})); }), "direction.size()");
  EXPECT_EQ(invalid_argument([&] { static_cast<void>(grid.neighbour({1, 2})); }), "direction[1]");
}

}  // namespace
}  // namespace typewarp::halo
