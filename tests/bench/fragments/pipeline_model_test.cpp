// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline_model.hpp"

#include "transport/tuning/policy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace typewarp::fragments {
namespace {

constexpr double mebi = 1 << 20;

double us(std::span<const Stage> stages, double bytes, double fragment) {
  std::vector<double> each;
  for (const Stage& stage : stages) each.push_back(stage.us(fragment));
  return pipelined_us(each, bytes / fragment);
}

/// The fragment length that takes least, sought in steps of a per cent.
double found(std::span<const Stage> stages, double bytes) {
  double best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (double fragment = 4096; fragment < bytes; fragment *= 1.01) {
    const double time = us(stages, bytes, fragment);
    if (time < least) least = time, best = fragment;
  }
  return best;
}

TEST(PipelineModel, OfThreeEqualStagesIsThatOfThePaper) {
  constexpr double n = 7;
  constexpr double t = 3;
  EXPECT_DOUBLE_EQ(pipelined_us(std::array{t, t, t}, n), (n + 2) * t);
  EXPECT_DOUBLE_EQ(pipelined_us(std::array{t, t, t}, 1), 3 * t);
}

TEST(PipelineModel, TakesThePaceOfTheSlowestStage) {
  EXPECT_DOUBLE_EQ(pipelined_us(std::array{1.0, 5.0, 2.0}, 10), 8 + 9 * 5.0);
  EXPECT_DOUBLE_EQ(pipelined_us(std::array{5.0}, 10), 50);
}

TEST(PipelineModel, TellsTheLengthThatTakesLeast) {
  const std::vector<std::vector<Stage>> pipelines{{{10, 55e3}, {10, 55e3}, {10, 55e3}},
                                                  {{9, 55e3}, {2, 12e3}, {9, 55e3}},
                                                  {{9, 55e3}, {20, 9e3}},
                                                  {{30, 8e3}, {9, 55e3}, {9, 50e3}}};
  for (const std::vector<Stage>& stages : pipelines) {
    for (const double bytes : {4 * mebi, 64 * mebi, 256 * mebi}) {
      const double told = std::sqrt(bytes * fragment_scale(stages));
      EXPECT_LE(us(stages, bytes, told), 1.001 * us(stages, bytes, found(stages, bytes)))
          << stages.size() << " stages, " << bytes << " bytes, " << told;
    }
  }
}

// Its numbers were measured each by itself: the length in which fragments count follows from the other two.
TEST(PipelineModel, AgreesWithTheScaleOfDeviceFragments) {
  const Stage stage{transport::direct_policy.fragment_cost, transport::direct_policy.fragments_rate};
  const std::array stages{stage, stage};
  for (const double bytes : {16 * mebi, 64 * mebi}) {
    const auto length = static_cast<double>(transport::direct_policy.fragment_length(
        static_cast<std::int64_t>(bytes), transport::direct_policy.fragment_bytes));
    EXPECT_LE(us(stages, bytes, length), 1.01 * us(stages, bytes, found(stages, bytes))) << bytes;
  }
}

}  // namespace
}  // namespace typewarp::fragments
