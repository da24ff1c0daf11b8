// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/plan.hpp>

#include "plan/state.hpp"
#include "support/expect_invalid.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <set>
#include <string>

namespace typewarp {
namespace {

Hints read(std::string_view key, std::string_view value) {
  Hints hints;
  hints.set(key, value);
  return hints;
}

TEST(Hints, SayNothingAtFirst) {
  EXPECT_TRUE(Hints().empty());
  EXPECT_EQ(Hints().to_string(), "none");
  EXPECT_EQ(sizeof(Hints), 8u);
}

TEST(Hints, ReadTheResourcesToAvoid) {
  EXPECT_EQ(read("typewarp_avoid", "multiprocessors").avoid, Resource::multiprocessors);
  EXPECT_EQ(read("avoid", "copy_engines").avoid, Resource::copy_engines);
  EXPECT_EQ(read("avoid", "copy_engines, multiprocessors").avoid,
            Resource::copy_engines | Resource::multiprocessors);
  EXPECT_EQ(read("avoid", "none"), Hints());
  EXPECT_TRUE(holds(Resource::copy_engines | Resource::multiprocessors, Resource::copy_engines));
  EXPECT_FALSE(holds(Resource::multiprocessors, Resource::copy_engines));
}

TEST(Hints, ReadPriorityAndBlocks) {
  EXPECT_EQ(read("priority", "low").priority, Priority::low);
  EXPECT_EQ(read("typewarp_priority", "normal").priority, Priority::normal);
  EXPECT_EQ(read("priority", "high").priority, Priority::high);
  EXPECT_EQ(read("max_blocks", "8").max_blocks, 8);
  EXPECT_EQ(read("typewarp_max_blocks", "2147483647").max_blocks, 2147483647);
  EXPECT_TRUE(read("max_blocks", "0").empty());
}

TEST(Hints, ReadEachMethodByItsNameInAnySpelling) {
  std::set<std::string_view> names;
  for (int number = 0; number <= static_cast<int>(Method::generic); ++number) {
    const auto method = static_cast<Method>(number);
    EXPECT_TRUE(names.insert(name(method)).second) << name(method);
    EXPECT_EQ(read("method", name(method)).method, method);
    std::string other(name(method));
    for (char& letter : other) {
      letter = letter == ' ' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    }
    EXPECT_EQ(read("typewarp_method", other).method, method) << other;
  }
  EXPECT_EQ(read("method", "DMA rows").method, Method::dma_rows);
}

TEST(Hints, KeepWhatWasReadBefore) {
  Hints hints;
  hints.set("avoid", "copy_engines,multiprocessors");
  hints.set("priority", "high");
  hints.set("max_blocks", "8");
  hints.set("method", "deep_words");
  EXPECT_EQ(hints.to_string(),
            "avoid=multiprocessors,copy_engines, priority=high, max_blocks=8, method=deep words");
  EXPECT_ANY_THROW(hints.set("max_blocks", "-8"));
  EXPECT_EQ(hints.max_blocks, 8);
}

TEST(Hints, RefuseWhatNoKeyTakes) {
  test::expect_invalid(
      [] { read("avoid", "multiprocessors,disks"); },
      "Hints::set: avoid = multiprocessors,disks: must be none, or of multiprocessors, copy_engines, "
      "with commas between them");
  EXPECT_EQ(test::invalid_argument([] { read("typewarp_avoid", "copy_engines,"); }), "typewarp_avoid");
  test::expect_invalid(
      [] { read("typewarp_priority", "highest"); },
      "Hints::set: typewarp_priority = highest: must be one of automatic, low, normal, high");
  for (const char* value : {"-1", "2147483648", "8 blocks", "", " 8", "0x8", "1e3"}) {
    EXPECT_EQ(test::invalid_argument([&] { read("max_blocks", value); }), "max_blocks") << value;
  }
  test::expect_invalid([] { read("max_blocks", ""); },
                       "Hints::set: max_blocks = (empty): must be a number of thread blocks from 0 (any "
                       "number) to 2147483647");
  test::expect_invalid([] { read("method", "fast"); },
                       "Hints::set: method = fast: must be one of automatic, DMA, DMA rows, "
                       "bounded, transposed, long runs, pattern, pieces, deep words, words, layout "
                       "copy, generic");
  test::expect_invalid(
      [] { read("typewarp_streams", "1"); },
      "Hints::set: key = typewarp_streams: must be one of typewarp_avoid, typewarp_priority, "
      "typewarp_max_blocks, typewarp_method, with or without typewarp_");
  EXPECT_EQ(test::invalid_argument([] { read("typewarp_", "1"); }), "key");
  EXPECT_EQ(test::invalid_argument([] { read("", "1"); }), "key");
}

TEST(Hints, OfTheInnerWinWhereItSaysSomething) {
  const Hints outer{Resource::multiprocessors, Priority::low, Method::words, 8};
  EXPECT_EQ(merged(outer, {}), outer);
  EXPECT_EQ(merged({}, outer), outer);
  const Hints inner{Resource::copy_engines, Priority::high, Method::generic, 16};
  EXPECT_EQ(merged(outer, inner), inner);
  EXPECT_EQ(merged(outer, read("max_blocks", "3")),
            (Hints{Resource::multiprocessors, Priority::low, Method::words, 3}));
}

TEST(Hints, OfBothSidesAreBothObeyed) {
  const Hints one{Resource::multiprocessors, Priority::low, Method::words, 8};
  const Hints other{Resource::copy_engines, Priority::high, Method::generic, 4};
  EXPECT_EQ(joined(one, other),
            (Hints{Resource::multiprocessors | Resource::copy_engines, Priority::high, Method::words, 4}));
  EXPECT_EQ(joined({}, one), one);
  EXPECT_EQ(joined(one, {}), one);
}

TEST(Hints, TravelWithAPlanThatSharesEverythingElse) {
  const Plan plan = commit(vector(3, 2, 5, Named::double_));
  EXPECT_TRUE(plan.hints().empty());
  const Hints hints = read("max_blocks", "8");
  const Plan bounded = plan.with(hints);
  EXPECT_EQ(bounded.hints(), hints);
  EXPECT_TRUE(plan.hints().empty());
  EXPECT_EQ(&plan::state_of(bounded), &plan::state_of(plan));
  EXPECT_EQ(bounded.with(read("priority", "low")).hints(), read("priority", "low"));
  test::expect_invalid([&] { (void)plan.with({.max_blocks = -1}); },
                       "Plan::with: hints.max_blocks = -1: must not be negative");
}

TEST(Hints, OfTheEnvironmentAreReadOnce) {
  ASSERT_EQ(setenv("TYPEWARP_METHOD", "fast", 1), 0);
  EXPECT_EQ(test::invalid_argument([] { Hints::of_environment(); }), "TYPEWARP_METHOD");
  ASSERT_EQ(setenv("TYPEWARP_METHOD", "Generic", 1), 0);
  ASSERT_EQ(setenv("TYPEWARP_MAX_BLOCKS", "8", 1), 0);
  ASSERT_EQ(setenv("TYPEWARP_PRIORITY", "", 1), 0);
  EXPECT_EQ(Hints::of_environment(), (Hints{.method = Method::generic, .max_blocks = 8}));
  ASSERT_EQ(setenv("TYPEWARP_MAX_BLOCKS", "9", 1), 0);
  EXPECT_EQ(Hints::of_environment().max_blocks, 8);
}

}  // namespace
}  // namespace typewarp
