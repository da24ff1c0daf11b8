// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/views.hpp"
#include "plan/state.hpp"
#include "support/random_type.hpp"

#include <gtest/gtest.h>

#include <algorithm>

/// The address arithmetic of the kernels, run on the host: no address is ever followed.
namespace typewarp::cuda {
namespace {

constexpr std::int64_t count = 3;

std::byte* const base = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40);

std::int64_t expected(const plan::State& state, std::int64_t byte) {
  return plan::locate(state.encoding.view(), state.extent, byte).offset;
}

template <typename Index>
void check_strided(const plan::State& state, const Strided& shape, int word) {
  const StridedView<Index> view(base, shape, word);
  for (std::int64_t i = 0; i < count * state.size / word; ++i) {
    ASSERT_EQ(view.at(i, word) - base, expected(state, i * word))
        << "word " << i << " of " << word << " bytes";
  }
}

/// Returns whether the type has a strided shape.
bool check(const Datatype& datatype) {
  const Plan plan = commit(datatype);
  const plan::State& state = plan.state();
  if (state.size == 0) return false;
  const auto shape = strided(state.layout, count, state.extent);
  if (!shape || shape->contiguous()) return false;
  for (int word = 1; word <= shape->grain(); word *= 2) {
    check_strided<std::uint32_t>(state, *shape, word);
    check_strided<std::uint64_t>(state, *shape, word);
  }
  return true;
}

TEST(Views, StridedAgreesWithLocate) {
  EXPECT_TRUE(check(vector(7, 3, 5, Named::double_)));
  EXPECT_TRUE(check(vector(7, 2, -3, Named::short_)));
  EXPECT_TRUE(check(subarray({5, 6, 7, 8}, {2, 3, 4, 5}, {1, 1, 1, 1}, Order::fortran, Named::float_)));
  EXPECT_TRUE(check(hvector(4, 1, 24, vector(3, 1, 100, Named::double_))));
}

TEST(Views, StridedAgreesWithLocateOnRandomTypes) {
  int strided_types = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(seed);
    strided_types += check(test::random_type(seed)) ? 1 : 0;
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(strided_types, 300);
}

TEST(Views, GenericReadsNearAndFarNodes) {
  const Plan plan = commit(indexed({1, 2, 1}, {0, 3, 11}, Named::int_));
  const plan::State& state = plan.state();
  ASSERT_LE(state.encoding.nodes.size(), GenericView::capacity);
  GenericView near{};
  near.base = base;
  near.extent = state.extent;
  near.lookaside = state.encoding.lookaside.data();
  std::copy(state.encoding.nodes.begin(), state.encoding.nodes.end(), near.nodes);
  GenericView far{};
  far.base = base;
  far.extent = state.extent;
  far.far_nodes = state.encoding.nodes.data();
  far.lookaside = state.encoding.lookaside.data();
  for (std::int64_t i = 0; i < count * state.size / 4; ++i) {
    EXPECT_EQ(near.at(i, 4) - base, expected(state, 4 * i));
    EXPECT_EQ(far.at(i, 4) - base, expected(state, 4 * i));
  }
}

}  // namespace
}  // namespace typewarp::cuda
