// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/expect_bounds.hpp"
#include "support/expect_invalid.hpp"

namespace typewarp::test {
namespace {

constexpr std::int64_t huge = std::int64_t{1} << 62;

TEST(Contiguous, Beyond4GiB) {
  const Datatype type = contiguous(std::int64_t{1} << 40, Named::double_);
  expect_bounds(type, std::int64_t{1} << 43, 0, std::int64_t{1} << 43, 0, std::int64_t{1} << 43);
  EXPECT_EQ(type.elements(), std::int64_t{1} << 40);
  EXPECT_TRUE(type.contiguous());
}

TEST(Contiguous, Errors) {
  expect_invalid([] { contiguous(-3, Named::int_); }, "contiguous: count = -3: must not be negative");
  expect_invalid([] { contiguous(3, {}); }, "contiguous: child = null: must not be the null datatype");
  expect_invalid([] { contiguous(huge, Named::double_); },
                 "contiguous: count = 4611686018427387904: the size in bytes exceeds 64 bits");
  expect_invalid([] { contiguous(huge, resized(Named::byte, 0, 8)); },
                 "contiguous: count = 4611686018427387904: a bound in bytes exceeds 64 bits");
}

TEST(Contiguous, NestsAThousandLevelsDeep) {
  Datatype type = Named::int_;
  for (int level = 0; level < 1000; ++level) type = contiguous(1, type);
  EXPECT_EQ(type.size(), 4);
  expect_invalid([&] { contiguous(1, type); },
                 "Datatype: child = 1001 levels: must not nest deeper than 1000 constructors");
}

// Examples of MPI 5.0, section 5.1.2.
TEST(Vector, StandardExamples) {
  expect_bounds(vector(2, 3, 4, double_char()), 54, 0, 112, 0, 105);
  expect_bounds(vector(3, 1, -2, double_char()), 27, -64, 80, -64, 73);
}

TEST(Vector, OneBlockHasNoUseForAStride) {
  expect_bounds(vector(1, 2, huge, Named::int_), 8, 0, 8, 0, 8);
  expect_bounds(vector(0, 2, huge, Named::int_), 0, 0, 0, 0, 0);
  expect_bounds(indexed({0, 1}, {huge, 2}, Named::int_), 4, 8, 4, 8, 4);
}

TEST(Vector, Errors) {
  expect_invalid([] { vector(-1, 1, 1, Named::int_); }, "vector: count = -1: must not be negative");
  expect_invalid([] { vector(1, -2, 1, Named::int_); }, "vector: blocklength = -2: must not be negative");
  expect_invalid([] { vector(1, 1, 1, {}); }, "vector: child = null: must not be the null datatype");
  expect_invalid([] { vector(2, 1, huge, Named::int_); },
                 "vector: stride = 4611686018427387904: the stride in bytes exceeds 64 bits");
  expect_invalid([] { vector(5, 1, huge / 8, Named::int_); },
                 "vector: stride = 576460752303423488: a bound in bytes exceeds 64 bits");
  expect_invalid([] { vector(8, huge / 16, 0, Named::int_); },
                 "vector: count = 8: the size in bytes exceeds 64 bits");
  expect_invalid([] { vector(1, huge, 0, Named::int_); },
                 "vector: blocklength = 4611686018427387904: the size in bytes exceeds 64 bits");
}

TEST(Hvector, Bounds) {
  expect_bounds(hvector(2, 1, std::int64_t{1} << 40, Named::double_), 16, 0, (std::int64_t{1} << 40) + 8, 0,
                (std::int64_t{1} << 40) + 8);
  expect_bounds(hvector(3, 2, -16, Named::int_), 24, -32, 40, -32, 40);
}

TEST(Hvector, Errors) {
  expect_invalid([] { hvector(-1, 1, 1, Named::int_); }, "hvector: count = -1: must not be negative");
  expect_invalid([] { hvector(3, 1, huge, Named::int_); },
                 "hvector: stride = 4611686018427387904: a bound in bytes exceeds 64 bits");
  expect_invalid([] { hvector(3, 1, -huge - 1, Named::int_); },
                 "hvector: stride = -4611686018427387905: a bound in bytes exceeds 64 bits");
}

// MPI 5.0, section 5.1.6: {(lb_marker, -3), (int, 0), (ub_marker, 6)}, and two of them.
TEST(Resized, StandardExample) {
  const Datatype type = resized(Named::int_, -3, 9);
  expect_bounds(type, 4, -3, 9, 0, 4);
  expect_bounds(contiguous(2, type), 8, -3, 18, 0, 13);
}

TEST(Resized, AnyExtentIsAnOrdinaryValue) {
  expect_bounds(resized(Named::int_, 3, -10), 4, 3, -10, 0, 4);
  expect_bounds(contiguous(3, resized(Named::int_, 3, -10)), 12, -17, 10, -20, 24);
  expect_bounds(resized(contiguous(0, Named::int_), -3, 10), 0, -3, 10, 0, 0);
  expect_bounds(resized(resized(Named::int_, -100, 500), 1, 2), 4, 1, 2, 0, 4);
}

TEST(Resized, Errors) {
  expect_invalid([] { resized({}, 0, 1); }, "resized: child = null: must not be the null datatype");
  expect_invalid([] { resized(Named::int_, huge, huge); },
                 "resized: extent = 4611686018427387904: a bound in bytes exceeds 64 bits");
}

TEST(Dup, KeepsEverything) {
  const Datatype type = resized(vector(3, 1, 2, Named::int_), -4, 77);
  expect_bounds(dup(type), 12, -4, 77, 0, 20);
  EXPECT_EQ(dup(type).signature(), type.signature());
  expect_invalid([] { dup({}); }, "dup: child = null: must not be the null datatype");
}

}  // namespace
}  // namespace typewarp::test
