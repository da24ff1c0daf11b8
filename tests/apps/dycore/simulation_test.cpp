// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dycore/simulation.hpp"

#include "common/compare.hpp"
#include "on_ranks.hpp"

namespace dycore {
namespace {

TEST_F(OnRanks, TheStartIsTheState) {
  const Start start = bubbles(shape, levels);
  const std::vector<double> state = after(0, start, {});
  if (rank_ != 0) return;
  EXPECT_EQ(difference(state, start_state(start, box), box), "");
}

TEST_F(OnRanks, NothingIsLostAndAllWaysAreEqual) {
  const Start start = bubbles(shape, levels);
  const std::vector<double> at_start = start_state(start, box);
  std::vector<double> first;
  for (const apps::By way : {apps::By::hand, apps::By::mpi, apps::By::typewarp}) {
    const std::vector<double> state = after(60, start, {}, way);
    if (rank_ != 0) continue;
    if (first.empty()) first = state;
    EXPECT_EQ(difference(state, first, box), "") << apps::name(way);
    EXPECT_LE(imbalance(at_start, state, box), apps::largest_imbalance);
  }
  if (rank_ == 0) {
    EXPECT_NE(difference(at_start, first, box), "");
  }
}

}  // namespace
}  // namespace dycore
