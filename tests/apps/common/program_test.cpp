// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/grid.hpp"
#include "common/program.hpp"
#include "common/ways.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

namespace apps {
namespace {

TEST(Program, RefusesAnMpiWithoutItsThreadLevel) {
  EXPECT_THROW(require_threads(MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE), Refusal);
  EXPECT_NO_THROW(require_threads(MPI_THREAD_MULTIPLE, MPI_THREAD_SINGLE));
}

TEST(Program, LaysRanksOutAsAsked) {
  using Sides = std::array<std::int64_t, 3>;
  EXPECT_EQ(choose_grid<3>(Sides{1, 3, 2}, 6), (Sides{1, 3, 2}));
  const Sides chosen = choose_grid<3>(std::nullopt, 12);
  EXPECT_EQ(std::accumulate(chosen.begin(), chosen.end(), std::int64_t{1}, std::multiplies<>()), 12);
  try {
    choose_grid<3>(Sides{1, 3, 1}, 2);
    FAIL();
  } catch (const Refusal& refusal) {
    EXPECT_STREQ(refusal.what(), "--grid = 1x3x1: has 3 positions, but the number of ranks is 2");
  }
}

enum class By : std::uint8_t { hand, mpi, typewarp };

TEST(Program, LeavesTheMpiOutForGpuMemory) {
  using typewarp::MemoryKind;
  const std::vector<By> all{By::hand, By::mpi, By::typewarp};
  EXPECT_EQ(choose_ways<By>({}, all, MemoryKind::pinned), all);
  EXPECT_EQ(choose_ways<By>({}, all, MemoryKind::device), (std::vector{By::hand, By::typewarp}));
  EXPECT_EQ(choose_ways<By>(By::mpi, all, MemoryKind::device), (std::vector{By::mpi}));
}

}  // namespace
}  // namespace apps
