// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/random_type.hpp"

#include "datatype/node.hpp"
#include "support/type_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace typewarp::test {
namespace {

constexpr std::uint64_t types = 1000;

using Kinds = std::set<std::size_t>;

void collect(const Datatype& type, Kinds& kinds, int depth, int& deepest) {
  const auto visit = [&](const auto& node) {
    using T = std::decay_t<decltype(node)>;
    if constexpr (std::is_same_v<T, datatype::Struct>) {
      for (const Datatype& child : node.children) collect(child, kinds, depth + 1, deepest);
    } else if constexpr (!std::is_same_v<T, Named>) {
      collect(node.child, kinds, depth + 1, deepest);
    }
  };
  kinds.insert(datatype::node_of(type).constructor.index());
  deepest = std::max(deepest, depth);
  std::visit(visit, datatype::node_of(type).constructor);
}

TEST(RandomType, SameSeedSameType) {
  std::set<std::string> texts;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::string text = random_type(seed).to_string();
    EXPECT_EQ(random_type(seed).to_string(), text);
    texts.insert(text);
  }
  EXPECT_GT(texts.size(), 80U);
}

TEST(RandomType, EveryConstructorOccurs) {
  Kinds kinds;
  int deepest = 0;
  for (std::uint64_t seed = 1; seed <= types; ++seed) collect(random_type(seed), kinds, 0, deepest);
  EXPECT_EQ(kinds.size(), std::variant_size_v<datatype::Constructor>);
  EXPECT_EQ(deepest, RandomTypeOptions{}.depth);
}

TEST(RandomType, KeepsWithinItsLimits) {
  const RandomTypeOptions options{.depth = 6, .max_size = 300, .max_extent = 2000};
  for (std::uint64_t seed = 1; seed <= types; ++seed) {
    const Datatype type = random_type(seed, options);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + type.to_string());
    EXPECT_LE(type.size(), options.max_size);
    EXPECT_LE(type.true_extent(), options.max_extent);
    EXPECT_LE(std::abs(type.extent()), options.max_extent);
  }
}

TEST(RandomType, NoByteTwiceInThreeItemsUnlessAskedFor) {
  int overlapping = 0;
  for (std::uint64_t seed = 1; seed <= types; ++seed) {
    EXPECT_TRUE(disjoint(byte_map(random_type(seed), 3))) << "seed " << seed;
    if (!disjoint(byte_map(random_type(seed, {.overlap = true})))) ++overlapping;
  }
  EXPECT_GT(overlapping, 50);
}

TEST(RandomType, CoversTheUnusual) {
  int empty = 0;
  int below_zero = 0;
  int descending = 0;
  int interleaved = 0;
  for (std::uint64_t seed = 1; seed <= types; ++seed) {
    const Datatype type = random_type(seed);
    const std::vector<std::int64_t> bytes = byte_map(type);
    empty += type.size() == 0 ? 1 : 0;
    below_zero += type.true_lb() < 0 ? 1 : 0;
    descending += std::is_sorted(bytes.begin(), bytes.end()) ? 0 : 1;
    interleaved += type.extent() < type.true_extent() ? 1 : 0;
  }
  EXPECT_GT(empty, 10);
  EXPECT_GT(below_zero, 50);
  EXPECT_GT(descending, 50);
  EXPECT_GT(interleaved, 5);
}

}  // namespace
}  // namespace typewarp::test
