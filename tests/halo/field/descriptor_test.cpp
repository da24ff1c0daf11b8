// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/expect_invalid.hpp"

#include <typewarp/halo_descriptor.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace typewarp::halo {
namespace {

using test::expect_invalid;

/// Expects the dimension behind a valid one to be refused.
void expect_refused(const Descriptor& descriptor, const std::string& member, std::int64_t value,
                    const std::string& rule) {
  const std::string argument = "descriptors[1]." + member;
  const Descriptor both[] = {without_halo(4), descriptor};
  expect_invalid([&] { check(both); }, argument,
                 "typewarp::halo::check: " + argument + " = " + std::to_string(value) + ": " + rule);
}

// The five cases of the GCL's own tests first.
TEST(HaloDescriptor, NamesTheDimensionAndTheRule) {
  expect_refused({3, 3, 3, 3, 6}, "end", 3, "must exceed begin, which is 3");
  expect_refused({1, 1, 0, 9, 10}, "begin", 0, "must not be less than minus, which is 1");
  expect_refused({1, 1, 1, 10, 10}, "plus", 1, "must not exceed total_length - end, which is 0");
  expect_refused({3, 3, 3, 7, 9}, "plus", 3, "must not exceed total_length - end, which is 2");
  const Descriptor smallest[] = {{3, 3, 3, 4, 7}};
  EXPECT_NO_THROW(check(smallest));

  expect_refused({-1, 0, 0, 1, 1}, "minus", -1, "must not be negative");
  expect_refused({0, -2, 0, 1, 1}, "plus", -2, "must not be negative");
  expect_refused({0, 0, -1, 1, 1}, "begin", -1, "must not be negative");
  expect_refused({0, 0, 0, 6, 5}, "end", 6, "must not exceed total_length, which is 5");
}

TEST(HaloDescriptor, TakesOneToEightDimensions) {
  const std::vector<Descriptor> nine(9);
  EXPECT_NO_THROW(check(std::span(nine).first(8)));
  expect_invalid([&] { check(nine); }, "descriptors.size()",
                 "typewarp::halo::check: descriptors.size() = 9: must be 1 to 8, one a dimension");
  EXPECT_THROW(check({}), InvalidArgument);
}

TEST(HaloDescriptor, HasTheRangesOfTheGcl) {
  const Descriptor d{2, 3, 4, 12, 20};
  EXPECT_EQ(d.length(), 8);
  EXPECT_EQ(d.owned(), (Range{4, 12}));
  EXPECT_EQ(d.received_from(0), d.owned());
  EXPECT_EQ(d.sent_to(0), d.owned());
  EXPECT_EQ(d.received_from(-1), (Range{2, 4}));
  EXPECT_EQ(d.received_from(1), (Range{12, 15}));
  EXPECT_EQ(d.sent_to(-1), (Range{4, 7}));   // fills the neighbour's plus
  EXPECT_EQ(d.sent_to(1), (Range{10, 12}));  // fills the neighbour's minus
}

TEST(HaloDescriptor, NarrowedHaloLiesNextToWhatIsOwned) {
  const Descriptor d = Descriptor{2, 3, 4, 12, 20}.narrowed(1);
  EXPECT_EQ(d, (Descriptor{1, 1, 4, 12, 20}));
  EXPECT_EQ(d.received_from(-1), (Range{3, 4}));
  EXPECT_EQ(d.sent_to(1), (Range{11, 12}));
  EXPECT_EQ((Descriptor{2, 3, 4, 12, 20}.narrowed(full_width)), (Descriptor{2, 3, 4, 12, 20}));
  EXPECT_EQ((Descriptor{2, 3, 4, 12, 20}.narrowed(0)), (Descriptor{0, 0, 4, 12, 20}));
}

TEST(HaloDescriptor, IsMadeFromOwnedElements) {
  EXPECT_EQ(without_halo(5), (Descriptor{0, 0, 0, 5, 5}));
  EXPECT_EQ(with_halo(5, 2), (Descriptor{2, 2, 2, 7, 9}));
  EXPECT_EQ(Descriptor(), without_halo(1));
  EXPECT_THROW(with_halo(0, 1), InvalidArgument);
  EXPECT_THROW(with_halo(1, -1), InvalidArgument);
  EXPECT_THROW(with_halo(1, std::numeric_limits<std::int64_t>::max()), InvalidArgument);
}

}  // namespace
}  // namespace typewarp::halo
