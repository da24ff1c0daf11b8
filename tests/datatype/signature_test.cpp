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

}  // namespace
}  // namespace typewarp::test
