// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/plan.hpp>

#include "support/expect_invalid.hpp"
#include "plan/state.hpp"
#include "support/nested_types.hpp"
#include "support/small_stack.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace typewarp {
namespace {

TEST(Plan, KnowsItsDatatype) {
  const Plan plan = commit(vector(3, 2, 5, Named::double_));
  EXPECT_EQ(plan.size(), 48);
  EXPECT_EQ(plan.extent(), 12 * 8);
  EXPECT_EQ(plan.layout().to_string(), "repeat 3 x stride 40 of run 16");
  EXPECT_EQ(plan.datatype().elements(), 6);
}

TEST(Plan, RejectsTheNullDatatype) {
  test::expect_invalid([] { commit(Datatype()); }, "commit: datatype = null: must not be the null datatype");
}

struct Counted : plan::Attachment {
  explicit Counted(std::atomic<int>& counter) : alive(counter) { ++alive; }
  ~Counted() override { --alive; }
  std::atomic<int>& alive;
};

TEST(Plan, KeepsOneAttachmentASlotForAllThreads) {
  std::atomic<int> alive = 0;
  {
    const Plan plan = commit(Named::int_);
    const auto attach = [&](std::size_t slot) {
      return &plan::attached<Counted>(plan::state_of(plan), slot,
                                      [&] { return std::make_unique<Counted>(alive); });
    };
    std::vector<const Counted*> seen(8);
    std::vector<std::thread> threads;
    for (const Counted*& place : seen) threads.emplace_back([&attach, &place] { place = attach(3); });
    for (std::thread& thread : threads) thread.join();
    for (const Counted* place : seen) EXPECT_EQ(place, seen.front());
    EXPECT_EQ(alive, 1);
    EXPECT_NE(attach(4), seen.front());
    EXPECT_EQ(alive, 2);
    EXPECT_THROW(attach(plan::attachment_slots), std::out_of_range);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Plan, OfTheDeepestTypeNeedsLittleStack) {
  test::on_small_stack([] {
    EXPECT_EQ(commit(test::deep_type(1000)).layout(), normalise(vector(2, 1, 2, Named::int_)));
    for (const test::SharedType& shared : test::shared_types()) {
      EXPECT_GE(commit(test::shared_type(shared, 30)).size(), std::int64_t{1} << 30) << shared.name;
    }
  });
}

}  // namespace
}  // namespace typewarp
