// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/sweep.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace stencil2d {
namespace {

template <typename T>
class Sweep : public testing::Test {};
using Elements = testing::Types<float, double>;
TYPED_TEST_SUITE(Sweep, Elements, );

TYPED_TEST(Sweep, SpreadsOnePointByTheWeights) {
  using T = TypeParam;
  constexpr std::int64_t pitch = 7;
  std::vector<T> from(7 * pitch, T(0));
  std::vector<T> to(7 * pitch, T(-1));
  from[3 * pitch + 3] = T(1);
  sweep(from.data(), to.data(), pitch, Region{1, 6, 1, 6});
  const std::array<std::array<T, 3>, 3> weights{
      {{T(0.05), T(0.15), T(0.05)}, {T(0.15), T(0.25), T(0.15)}, {T(0.05), T(0.15), T(0.05)}}};
  for (std::size_t row = 0; row < 7; ++row) {
    for (std::size_t column = 0; column < 7; ++column) {
      const bool computed = row >= 1 && row < 6 && column >= 1 && column < 6;
      const bool near = row >= 2 && row <= 4 && column >= 2 && column <= 4;
      const T expected = !computed ? T(-1) : near ? weights[row - 2][column - 2] : T(0);
      EXPECT_EQ(to[row * pitch + column], expected) << row << ", " << column;
    }
  }
}

}  // namespace
}  // namespace stencil2d
