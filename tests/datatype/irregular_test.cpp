// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/expect_bounds.hpp"
#include "support/expect_invalid.hpp"

namespace typewarp::test {
namespace {

constexpr std::int64_t huge = std::int64_t{1} << 62;

// Examples of MPI 5.0, section 5.1.2.
TEST(Indexed, StandardExample) { expect_bounds(indexed({3, 1}, {4, 0}, double_char()), 36, 0, 112, 0, 105); }

TEST(Indexed, ChildWithNegativeExtent) {
  expect_bounds(indexed({1, 0, 2}, {3, 100, 1}, resized(Named::int_, -2, -7)), 12, -23, 7, -21, 18);
}

TEST(Indexed, Errors) {
  expect_invalid([] { indexed({1, 2}, {0}, Named::int_); },
                 "indexed: displacements = 1 entries: must have as many as blocklengths, which has 2");
  expect_invalid([] { indexed({1, -2}, {0, 4}, Named::int_); },
                 "indexed: blocklengths[1] = -2: must not be negative");
  expect_invalid([] { indexed({1}, {0}, {}); }, "indexed: child = null: must not be the null datatype");
  expect_invalid(
      [] { indexed({1, 1}, {0, -huge}, Named::int_); },
      "indexed: displacements[1] = -4611686018427387904: the displacement in bytes exceeds 64 bits");
  expect_invalid([] { indexed({1, huge}, {0, 0}, Named::int_); },
                 "indexed: blocklengths[1] = 4611686018427387904: the size in bytes exceeds 64 bits");
  expect_invalid([] { indexed({huge / 4, huge / 4}, {0, 0}, Named::int_); },
                 "indexed: blocklengths[1] = 1152921504606846976: the size in bytes exceeds 64 bits");
}

TEST(Hindexed, Bounds) {
  expect_bounds(hindexed({1, 2}, {-32, 64}, Named::int_), 12, -32, 104, -32, 104);
  expect_bounds(hindexed({1}, {huge}, Named::byte), 1, huge, 1, huge, 1);  // an absolute address
}

TEST(Hindexed, Errors) {
  expect_invalid([] { hindexed({1}, {0, 8}, Named::int_); },
                 "hindexed: displacements = 2 entries: must have as many as blocklengths, which has 1");
  expect_invalid([] { hindexed({1, 4}, {0, 2 * (huge - 1)}, Named::int_); },
                 "hindexed: displacements[1] = 9223372036854775806: a bound in bytes exceeds 64 bits");
  // Each bound fits, their distance does not.
  expect_invalid([] { hindexed({1, 1}, {-huge, huge}, Named::int_); },
                 "hindexed: displacements[1] = 4611686018427387904: the extent in bytes exceeds 64 bits");
}

TEST(IndexedBlock, Bounds) {
  expect_bounds(indexed_block(2, {5, 0, 9}, Named::double_), 48, 0, 88, 0, 88);
  expect_bounds(indexed_block(0, {5, 0, 9}, Named::double_), 0, 0, 0, 0, 0);
  expect_invalid([] { indexed_block(-1, {0}, Named::int_); },
                 "indexed_block: blocklength = -1: must not be negative");
  expect_invalid(
      [] { indexed_block(1, {0, huge}, Named::int_); },
      "indexed_block: displacements[1] = 4611686018427387904: the displacement in bytes exceeds 64 bits");
}

TEST(HindexedBlock, Bounds) {
  expect_bounds(hindexed_block(1, {16, 0, 40}, Named::double_), 24, 0, 48, 0, 48);
  expect_invalid([] { hindexed_block(-1, {0}, Named::int_); },
                 "hindexed_block: blocklength = -1: must not be negative");
  expect_invalid([] { hindexed_block(1, {0}, {}); },
                 "hindexed_block: child = null: must not be the null datatype");
}

// MPI 5.0, section 5.1.2: {(float,0),(float,4),(double,16),(char,24),(char,26),(char,27),(char,28)}.
TEST(Structure, StandardExample) {
  const Datatype type = structure({2, 1, 3}, {0, 16, 26}, {Named::float_, double_char(), Named::char_});
  expect_bounds(type, 20, 0, 32, 0, 29);
  EXPECT_EQ(type.elements(), 7);
}

TEST(Structure, MembersWithoutDataBoundButAreNoData) {
  const Datatype nothing = contiguous(0, Named::double_);
  expect_bounds(structure({1, 1}, {0, 24}, {Named::char_, nothing}), 1, 0, 24, 0, 1);
  expect_bounds(structure({1, 1}, {0, -24}, {Named::int_, nothing}), 4, -24, 28, 0, 4);
  expect_bounds(structure({1}, {5}, {nothing}), 0, 0, 0, 0, 0);
}

// MPI 5.0, section 5.1.6: as soon as there is a marker, markers alone decide.
TEST(Structure, ExplicitBoundsOutrankData) {
  expect_bounds(structure({1, 1}, {0, 5}, {resized(Named::int_, 0, 5), Named::char_}), 5, 0, 5, 0, 6);
  expect_bounds(structure({1, 1}, {0, 8}, {Named::double_, resized(Named::char_, -3, 10)}), 9, 5, 10, 0, 9);
  const Datatype two = contiguous(2, resized(Named::int_, 0, 5));
  expect_bounds(structure({1, 1}, {0, 10}, {two, Named::char_}), 9, 0, 10, 0, 11);
  const Datatype box = subarray({4, 5}, {2, 3}, {1, 1}, Order::c, Named::int_);
  expect_bounds(structure({1, 1}, {0, 400}, {box, Named::char_}), 25, 0, 80, 24, 377);
}

TEST(Structure, Errors) {
  expect_invalid([] { structure({1}, {0, 4}, {Named::int_}); },
                 "structure: displacements = 2 entries: must have as many as blocklengths, which has 1");
  expect_invalid([] { structure({1}, {0}, {Named::int_, Named::int_}); },
                 "structure: children = 2 entries: must have as many as blocklengths, which has 1");
  expect_invalid([] { structure({1, -1}, {0, 4}, {Named::int_, Named::int_}); },
                 "structure: blocklengths[1] = -1: must not be negative");
  expect_invalid([] { structure({1, 0}, {0, 4}, {Named::int_, {}}); },
                 "structure: children[1] = null: must not be the null datatype");
  expect_invalid([] { structure({1, 2 * (huge - 1)}, {0, 4}, {Named::int_, Named::int_}); },
                 "structure: blocklengths[1] = 9223372036854775806: the size in bytes exceeds 64 bits");
}

}  // namespace
}  // namespace typewarp::test
