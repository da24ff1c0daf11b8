// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/array_shape.hpp>

#include "support/expect_invalid.hpp"
#include "plan/state.hpp"
#include "support/random.hpp"
#include "support/type_map.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace typewarp {
namespace {

using test::expect_invalid;
using Integers = std::vector<std::int64_t>;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

/// Displacements in elements, the last index fastest.
Integers displacements(const Integers& sizes, const Integers& strides) {
  Integers found{0};
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    Integers next;
    for (const std::int64_t start : found) {
      for (std::int64_t i = 0; i < sizes[d]; ++i) next.push_back(start + i * strides[d]);
    }
    found = next;
  }
  return found;
}

TEST(ArrayShape, MakesTheDatatypeOfEachElement) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const std::int64_t rank = random.range(0, 8);
    Integers sizes, strides;
    for (std::int64_t d = 0; d < rank; ++d) {
      sizes.push_back(random.range(random.one_in(20) ? 0 : 1, rank > 4 ? 2 : 4));
      strides.push_back(random.range(-40, 40));
    }
    const ArrayShape shape(sizes, strides);
    const Integers expected = displacements(sizes, strides);
    EXPECT_EQ(shape.elements(), static_cast<std::int64_t>(expected.size()));
    Integers found;
    for (const auto& entry : test::type_map(datatype_of(shape, Named::float_))) {
      EXPECT_EQ(entry.displacement % 4, 0);
      found.push_back(entry.displacement / 4);
    }
    EXPECT_EQ(found, expected);
  }
}

TEST(ArrayShape, KnowsWhetherItHasGaps) {
  const Integers sizes{3, 1, 5};
  EXPECT_TRUE(ArrayShape(sizes).dense());
  EXPECT_EQ(ArrayShape(sizes), ArrayShape(sizes, Integers{5, 5, 1}));
  EXPECT_TRUE(ArrayShape(sizes, Integers{5, 99, 1}).dense());
  EXPECT_FALSE(ArrayShape(sizes, Integers{6, 5, 1}).dense());
  EXPECT_FALSE(ArrayShape(sizes, Integers{-5, 5, 1}).dense());
  EXPECT_FALSE(ArrayShape(Integers{3, 5}, Integers{1, 3}).dense());
  EXPECT_TRUE(ArrayShape(Integers{3, 0}, Integers{1, 3}).dense());
  EXPECT_TRUE(ArrayShape(Integers{}).dense());
}

TEST(ArrayShape, IsCommittedOnceForManyCalls) {
  const ArrayShape shape(Integers{3, 5}, Integers{7, 1});
  const auto state = [&](const ArrayShape& of, Named element) {
    return &plan::state_of(commit(of, element));
  };
  const plan::State* const first = state(shape, Named::int_);
  for (std::int64_t other = 1; other <= 15; ++other) {
    const ArrayShape one(Integers{3, 5}, Integers{7 + other, 1});
    EXPECT_EQ(commit(one, Named::int_).datatype().true_extent(), 4 * (2 * (7 + other) + 5));
  }
  EXPECT_EQ(state(shape, Named::int_), first);
  EXPECT_NE(state(shape, Named::float_), first);  // the element counts, too
}

TEST(ArrayShape, NamesWhatIsWrong) {
  const auto shape = [](const Integers& sizes, const Integers& strides) {
    return [=] { static_cast<void>(ArrayShape(sizes, strides)); };
  };
  expect_invalid(shape({2, -1}, {1, 1}), "ArrayShape: sizes[1] = -1: must not be negative");
  expect_invalid(shape({2, 3}, {1}), "ArrayShape: strides.size() = 1: must be 2, as that of sizes");
  expect_invalid(shape(Integers(9, 1), Integers(9, 1)), "ArrayShape: sizes.size() = 9: must not exceed 8");
  expect_invalid([] { static_cast<void>(ArrayShape(Integers(9, 1))); },
                 "ArrayShape: sizes.size() = 9: must not exceed 8");
  expect_invalid(shape({most, 2}, {1, 1}),
                 "ArrayShape: sizes = more than 2^63 - 1 elements: must fit 64 bits");
  EXPECT_EQ(ArrayShape(Integers{most, 2, 0}).elements(), 0);
  const ArrayShape far(Integers{2, 2}, Integers{1, most / 2});
  expect_invalid([&] { static_cast<void>(datatype_of(far, Named::double_)); },
                 "datatype_of: strides[1] = 4611686018427387903: must fit 64 bits in bytes");
}

}  // namespace
}  // namespace typewarp
