// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/checked.hpp"

#include "support/expect_invalid.hpp"

#include <limits>

namespace typewarp::test {
namespace {

using datatype::Argument;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr Argument count{"typewarp::f", "count", 7};
constexpr Argument entry{"typewarp::f", "displacements", -9, 3};

TEST(Checked, ResultsThatFitPass) {
  EXPECT_EQ(datatype::checked_add(most - 1, 1, count, "the sum"), most);
  EXPECT_EQ(datatype::checked_subtract(least + 1, 1, count, "the difference"), least);
  EXPECT_EQ(datatype::checked_multiply(most / 2, -2, count, "the product"), -most + 1);
}

TEST(Checked, ResultsBeyond64BitsNameTheArgument) {
  expect_invalid([] { datatype::checked_add(most, 1, count, "the size"); },
                 "f: count = 7: the size exceeds 64 bits");
  expect_invalid([] { datatype::checked_subtract(least, 1, count, "the extent"); },
                 "f: count = 7: the extent exceeds 64 bits");
  expect_invalid([] { datatype::checked_multiply(most, 2, entry, "a bound"); },
                 "f: displacements[3] = -9: a bound exceeds 64 bits");
}

TEST(Checked, NegativeValuesAreNamed) {
  datatype::require_not_negative(count);
  expect_invalid([] { datatype::require_not_negative(entry); },
                 "f: displacements[3] = -9: must not be negative");
}

}  // namespace
}  // namespace typewarp::test
