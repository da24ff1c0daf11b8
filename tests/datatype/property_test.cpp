// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/expect_bounds.hpp"
#include "datatype/node.hpp"
#include "datatype/signature.hpp"
#include "support/environment.hpp"
#include "support/random_type.hpp"
#include "support/type_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace typewarp::test {
namespace {

const std::uint64_t types = at_most_types(3000);

/// Everything that follows from a type map, read off it.
void expect_attributes_of_the_type_map(const Datatype& type) {
  const std::vector<Element> map = type_map(type);
  const Bounds expected = bounds(type);
  std::int64_t size = 0;
  std::int64_t low = map.empty() ? 0 : map.front().displacement;
  std::int64_t high = low;
  bool dense = true;
  Signature signature;
  for (const Element& element : map) {
    dense = dense && element.displacement == map.front().displacement + size;
    size += element.size;
    low = std::min(low, element.displacement);
    high = std::max(high, element.displacement + element.size);
    signature = datatype::concatenated(signature, datatype::signature_of(element.type));
  }
  EXPECT_EQ(type.size(), size);
  EXPECT_EQ(type.lb(), expected.lb);
  EXPECT_EQ(type.ub(), expected.ub);
  EXPECT_EQ(type.true_lb(), low);
  EXPECT_EQ(type.true_ub(), high);
  EXPECT_EQ(type.elements(), static_cast<std::int64_t>(map.size()));
  EXPECT_EQ(type.signature(), signature);
  EXPECT_EQ(datatype::node_of(type).attributes.dense, dense);

  const std::vector<std::int64_t> bytes = byte_map(type, 3);
  bool run = true;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    run = run && bytes[i] == type.lb() + static_cast<std::int64_t>(i);
  EXPECT_EQ(type.contiguous(), run);
}

void check(const RandomTypeOptions& options) {
  for (std::uint64_t seed = 1; seed <= types; ++seed) {
    const Datatype type = random_type(seed, options);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + type.to_string());
    expect_attributes_of_the_type_map(type);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Property, AttributesFollowFromTheTypeMap) { check({}); }
TEST(Property, AttributesFollowFromTheTypeMapOfOverlappingTypes) { check({.overlap = true}); }
TEST(Property, AttributesFollowFromTheTypeMapOfDeepTypes) { check({.depth = 9, .max_size = 256}); }

/// Far from the limits of 64 bits, lists are summed up without a check a block. An empty block, which changes
/// nothing, at a displacement that no 64 bits hold in bytes has them summed up with one.
TEST(Property, ListsHaveTheSameAttributesNearAndFarFromTheLimits) {
  const auto far = std::numeric_limits<std::int64_t>::max();
  std::mt19937_64 random(5);
  const auto below = [&random](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  for (std::uint64_t seed = 1; seed <= types; ++seed) {
    const Datatype child = random_type(seed, {.depth = 2, .max_size = 64, .max_extent = 256});
    std::vector<std::int64_t> lengths;
    std::vector<std::int64_t> displacements;
    std::int64_t end = 0;
    for (std::int64_t blocks = below(6); blocks > 0; --blocks) {
      lengths.push_back(below(4));
      displacements.push_back(end + (below(3) == 0 ? below(20) - 10 : 0));
      end = displacements.back() + lengths.back();
    }
    const Datatype near = indexed(lengths, displacements, child);
    lengths.push_back(0);
    displacements.push_back(far);
    const Datatype checked = indexed(lengths, displacements, child);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + near.to_string());
    expect_bounds(near, checked.size(), checked.lb(), checked.extent(), checked.true_lb(),
                  checked.true_extent());
    EXPECT_EQ(near.signature(), checked.signature());
    EXPECT_EQ(near.elements(), checked.elements());
    EXPECT_EQ(datatype::node_of(near).attributes.dense, datatype::node_of(checked).attributes.dense);
    EXPECT_EQ(datatype::node_of(near).attributes.alignment, datatype::node_of(checked).attributes.alignment);
    EXPECT_EQ(datatype::node_of(near).attributes.explicit_bounds,
              datatype::node_of(checked).attributes.explicit_bounds);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Property, ADarrayAndItsExpansionAreTheSame) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= types; ++seed) {
    const Datatype type = random_type(seed);
    const auto* node = std::get_if<datatype::Darray>(&datatype::node_of(type).constructor);
    if (node == nullptr) continue;
    ++found;
    ASSERT_EQ(byte_map(type, 2), byte_map(node->expansion, 2)) << "seed " << seed << "\n" << type;
  }
  EXPECT_GT(found, static_cast<int>(types / 60));
}

}  // namespace
}  // namespace typewarp::test
