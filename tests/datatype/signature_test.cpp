// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/signature.hpp"

#include <gtest/gtest.h>

namespace typewarp::test {
namespace {

using datatype::concatenated;
using datatype::repeated;
using datatype::signature_of;

const Signature a = signature_of(Named::int_);
const Signature b = signature_of(Named::double_);
const Signature c = signature_of(Named::char_);

TEST(Signature, ConcatenationIsAMonoid) {
  EXPECT_EQ(concatenated(concatenated(a, b), c), concatenated(a, concatenated(b, c)));
  EXPECT_EQ(concatenated(a, {}), a);
  EXPECT_EQ(concatenated({}, a), a);
}

TEST(Signature, RepetitionIsRepeatedConcatenation) {
  const Signature ab = concatenated(a, b);
  Signature expected;
  for (std::int64_t n = 0; n < 70; ++n) {
    EXPECT_EQ(repeated(ab, n), expected) << n;
    expected = concatenated(expected, ab);
  }
}

TEST(Signature, RepetitionSplitsAnywhere) {
  const std::int64_t many = 1'000'000'000'000;
  const std::int64_t some = 123'456'789'012;
  EXPECT_EQ(concatenated(repeated(a, some), repeated(a, many - some)), repeated(a, many));
  EXPECT_EQ(repeated(repeated(b, 1'000'000), 1'000'000), repeated(b, many));
  EXPECT_EQ(repeated(a, many).elements, many);
}

TEST(Signature, OrderTypeAndLengthMatter) {
  EXPECT_NE(concatenated(a, b), concatenated(b, a));
  EXPECT_NE(repeated(a, 3), repeated(a, 4));
  EXPECT_NE(repeated(a, 3), repeated(b, 3));
  EXPECT_NE(Datatype(Named::int_).signature(), Datatype(Named::int32).signature());
}

TEST(Signature, SpellingDoesNotMatter) {
  const Signature six = contiguous(6, Named::int_).signature();
  EXPECT_EQ(vector(2, 3, 5, Named::int_).signature(), six);
  EXPECT_EQ(hvector(3, 2, -40, Named::int_).signature(), six);
  EXPECT_EQ(indexed({1, 0, 5}, {7, 3, -9}, Named::int_).signature(), six);
  EXPECT_EQ(hindexed_block(2, {0, 100, 50}, Named::int_).signature(), six);
  EXPECT_EQ(structure({2, 1}, {0, 80}, {Named::int_, contiguous(4, Named::int_)}).signature(), six);
  EXPECT_EQ(subarray({4, 4}, {2, 3}, {0, 1}, Order::c, Named::int_).signature(), six);
  EXPECT_EQ(resized(dup(contiguous(6, Named::int_)), -4, 100).signature(), six);
}

TEST(Signature, APairTypeIsItsTwoHalves) {
  EXPECT_EQ(structure({1, 1}, {0, 8}, {Named::double_, Named::int_}).signature(),
            Datatype(Named::double_int).signature());
  EXPECT_EQ(contiguous(2, Named::int_).signature(), Datatype(Named::two_int).signature());
}

TEST(Signature, NoElementsHaveNoSignature) {
  EXPECT_EQ(contiguous(0, Named::int_).signature(), Signature{});
  EXPECT_EQ(structure({0, 3}, {0, 0}, {Named::int_, contiguous(0, Named::double_)}).signature(), Signature{});
}

}  // namespace
}  // namespace typewarp::test
