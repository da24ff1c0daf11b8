// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "explain/tune.hpp"

#include "explain/tuned_layouts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace typewarp::explanation {
namespace {

MachineProfile rates() {
  MachineProfile profile;
  profile.name = "mine";
  profile.gpu = "G";
  profile.source = "S";
  profile.copy_gb_per_s = 1000;
  profile.to_host_gb_per_s = 20;
  profile.to_device_gb_per_s = 25;
  profile.launch_us = 5;
  return profile;
}

/// As on a machine where every move takes so many times its floor. Stops after `layouts`.
Tuned tuned(double ratio, int layouts) {
  const auto measure = [=](std::vector<ExplainedMove>& moves, const Plan&) {
    for (ExplainedMove& move : moves) move.measured_us = ratio * move.floor->us;
  };
  return tune(rates(), {measure, [&layouts] { return layouts-- > 0; }});
}

TEST(TunedLayouts, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const TunedLayout& layout : tuned_layouts())
    EXPECT_TRUE(names.insert(layout.name).second) << layout.name;
  EXPECT_GT(names.size(), 150U);
}

TEST(TunedLayouts, FirstOnesHoldAboutAMebibyte) {
  for (const TunedLayout& layout : tuned_layouts()) {
    const std::int64_t size = layout.make().size();
    if (size < (std::int64_t{1} << 18)) break;  // those of 64 KiB begin
    EXPECT_LE(size, std::int64_t{1} << 20) << layout.name;
    EXPECT_GE(size, (std::int64_t{1} << 20) * 9 / 10) << layout.name;
  }
}

TEST(TunedLayouts, AreMovedByEveryMethod) {
  std::set<std::string> chosen;
  tune(rates(), {[&](std::vector<ExplainedMove>& moves, const Plan& plan) {
                   for (const ExplainedMove& move : moves) {
                     // Pieces and copies that are small are moved by words, whatever they are.
                     if (plan.size() > (std::int64_t{1} << 18)) chosen.insert(move.chosen);
                   }
                 },
                 [left = 120]() mutable { return left-- > 0; }});
  const std::set<std::string> all{"DMA",     "DMA rows", "bounded", "transposed", "long runs",
                                  "pattern", "pieces",   "staged",  "deep words", "words"};
  EXPECT_EQ(chosen, all);
}

TEST(Tune, NotesTimesOverFloors) {
  const Tuned result = tuned(1.5, 3);
  EXPECT_EQ(result.layouts, 3U);
  EXPECT_EQ(result.left_out, tuned_layouts().size() - 3);
  ASSERT_EQ(result.profile.ratios.size(), 12U);
  ASSERT_EQ(result.moves.size(), 12U);
  for (const MeasuredRatio& ratio : result.profile.ratios) EXPECT_DOUBLE_EQ(ratio.ratio, 1.5);
  EXPECT_EQ(result.profile.ratios[4].source, tuned_layouts()[1].name);
  EXPECT_EQ(result.profile.ratios[4].direction, "pack");
  EXPECT_EQ(result.profile.gpu, "G");
}

TEST(Tune, LeavesOutWhatWasNotMeasured) {
  const Tuned result = tune(rates(), {[](std::vector<ExplainedMove>& moves, const Plan&) {
                                        moves.front().measured_us = moves.front().floor->us;
                                      },
                                      [left = 2]() mutable { return left-- > 0; }});
  EXPECT_EQ(result.profile.ratios.size(), 2U);
}

TEST(Changes, TellsRates) {
  MachineProfile before = rates();
  before.launch_us = 10;
  const Changes told = changes(before, tuned(1, 1));
  ASSERT_EQ(told.rates.size(), 4U);
  EXPECT_DOUBLE_EQ(told.rates[0].ratio(), 1);
  EXPECT_DOUBLE_EQ(told.rates[3].ratio(), 0.5);
}

TEST(Changes, AreToldBeyondATenth) {
  const Tuned before = tuned(1, 3);
  EXPECT_EQ(changes(before.profile, tuned(1.05, 3)).predictions.size(), 0U);
  const Changes told = changes(before.profile, tuned(0.5, 3));
  EXPECT_EQ(told.predicted, 12U);
  EXPECT_EQ(told.predictions.size(), 12U);
  EXPECT_EQ(told.new_ones, 0U);
  EXPECT_NEAR(told.mean_factor, 2, 1e-9);
}

TEST(Changes, ThoseThatChangeMostComeFirst) {
  Tuned after = tuned(1, 3);
  after.profile.ratios[7].ratio = 3;
  after.profile.ratios[2].ratio = 0.2;
  const Changes told = changes(tuned(1, 3).profile, after);
  ASSERT_GE(told.predictions.size(), 2U);
  EXPECT_NEAR(told.predictions[0].ratio(), 0.2, 0.05);
  EXPECT_LT(told.predictions[1].ratio() < 1 ? 1 / told.predictions[1].ratio() : told.predictions[1].ratio(),
            5);
}

TEST(Changes, OfAProfileWithoutLayoutsAreNew) {
  const Changes told = changes(rates(), tuned(1, 2));
  EXPECT_EQ(told.predicted, 0U);
  EXPECT_EQ(told.new_ones, 8U);
}

}  // namespace
}  // namespace typewarp::explanation
