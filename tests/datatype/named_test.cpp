// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/named.hpp"

#include "datatype/expect_bounds.hpp"
#include "support/expect_invalid.hpp"

#include <set>

namespace typewarp::test {
namespace {

TEST(Named, NamesAreThoseOfMpi) {
  EXPECT_EQ(name(Named::char_), "MPI_CHAR");
  EXPECT_EQ(name(Named::unsigned_int), "MPI_UNSIGNED");
  EXPECT_EQ(name(Named::double_int), "MPI_DOUBLE_INT");
  EXPECT_EQ(name(Named::two_int), "MPI_2INT");
  EXPECT_EQ(name(Named::two_integer), "MPI_2INTEGER");
}

TEST(Named, NamesAreDistinct) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < datatype::named_count; ++i) names.insert(name(static_cast<Named>(i)));
  EXPECT_EQ(names.size(), datatype::named_count);
}

TEST(Named, PairTypesCountNoGapInTheirSize) {
  expect_bounds(Named::float_int, 8, 0, 8, 0, 8);
  expect_bounds(Named::double_int, 12, 0, 16, 0, 12);
  expect_bounds(Named::two_int, 8, 0, 8, 0, 8);
  expect_bounds(Named::short_int, 6, 0, 8, 0, 8);
  expect_bounds(Named::long_double_int, sizeof(long double) + 4, 0, 2 * sizeof(long double), 0,
                sizeof(long double) + 4);
  expect_bounds(Named::two_double_precision, 16, 0, 16, 0, 16);
}

TEST(Named, PairTypesHaveTwoElements) {
  EXPECT_EQ(Datatype(Named::double_int).elements(), 2);
  EXPECT_EQ(Datatype(Named::complex_double).elements(), 1);
  const auto halves = datatype::basic_elements(Named::short_int);
  ASSERT_EQ(halves.size(), 2U);
  EXPECT_EQ(halves[0].type, Named::short_);
  EXPECT_EQ(halves[1].type, Named::int_);
  EXPECT_EQ(halves[1].displacement, 4);
}

TEST(Named, AlignmentIsThatOfTheComponents) {
  EXPECT_EQ(datatype::node_of(Datatype(Named::complex_double)).attributes.alignment, 8);
  EXPECT_EQ(datatype::node_of(Datatype(Named::complex8)).attributes.alignment, 4);
  EXPECT_EQ(datatype::node_of(Datatype(Named::double_int)).attributes.alignment, 8);
  EXPECT_EQ(datatype::node_of(Datatype(Named::short_int)).attributes.alignment, 4);
}

TEST(Named, AValueThatIsNoEnumeratorIsRefused) {
  expect_invalid([] { Datatype(static_cast<Named>(200)); },
                 "Datatype: named = 200: must be an enumerator of typewarp::Named");
  EXPECT_EQ(name(static_cast<Named>(200)), "(no named type)");
}

}  // namespace
}  // namespace typewarp::test
