// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/random_type.hpp"
#include "support/type_map.hpp"

#include "support/expect_invalid.hpp"

namespace typewarp::test {
namespace {

TEST(ElementsIn, BasicTypes) {
  const Datatype type = Named::int_;
  EXPECT_EQ(type.elements_in(0), 0);
  EXPECT_EQ(type.elements_in(3), -1);
  EXPECT_EQ(type.elements_in(4), 1);
  EXPECT_EQ(type.elements_in(4'000'000'000'000), 1'000'000'000'000);
}

TEST(ElementsIn, NegativeBytesAreRefused) {
  expect_invalid([] { Datatype(Named::int_).elements_in(-1); },
                 "Datatype::elements_in: bytes = -1: must not be negative");
}

TEST(ElementsIn, AgreesWithTheTypeMapAtEveryByteOfTwoItems) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const Datatype type = random_type(seed, {.max_size = 512});
    std::vector<std::int64_t> expected{0};  // by number of bytes
    for (const Element& element : type_map(type, 2)) {
      const std::int64_t before = expected.back();
      expected.insert(expected.end(), static_cast<std::size_t>(element.size) - 1, -1);
      expected.push_back(before + 1);
    }
    for (std::size_t bytes = 0; bytes < expected.size(); ++bytes) {
      ASSERT_EQ(type.elements_in(static_cast<std::int64_t>(bytes)), expected[bytes])
          << "seed " << seed << ", " << bytes << " bytes of\n"
          << type;
    }
  }
}

}  // namespace
}  // namespace typewarp::test
