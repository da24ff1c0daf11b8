// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/explain.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace typewarp {
namespace {

Explanation of(const std::string& expression, std::int64_t count = 1) {
  return explain(commit(datatype_of(expression)), {.count = count, .host = false});
}

const ExplainedMove& move_of(const Explanation& explanation, std::string_view direction,
                             std::string_view memory) {
  return *std::ranges::find_if(explanation.moves, [&](const ExplainedMove& move) {
    return move.direction == direction && move.memory == memory;
  });
}

bool advises(const Explanation& explanation, std::string_view words) {
  return std::ranges::any_of(explanation.advice, [&](const std::string& sentence) {
    return sentence.find(words) != std::string::npos;
  });
}

TEST(Explain, AsksTheEngineForTheMethod) {
  const auto chosen = [](const std::string& expression, std::int64_t count, const char* direction,
                         const char* memory) {
    return move_of(of(expression, count), direction, memory).chosen;
  };
  EXPECT_EQ(chosen("double", 1, "pack", "pinned"), "DMA");
  EXPECT_EQ(chosen("contiguous(1Mi, double)", 1, "pack", "device"), "words");
  EXPECT_EQ(chosen("contiguous(4Mi, double)", 1, "pack", "device"), "DMA");
  EXPECT_EQ(chosen("vector(1000, 512, 1024, double)", 1, "pack", "pinned"), "DMA rows");
  EXPECT_EQ(chosen("vector(131072, 1, 8, double)", 1, "pack", "pinned"), "words");
  EXPECT_EQ(chosen("vector(1Mi, 1, 8, double)", 1, "pack", "pinned"), "bounded");
  EXPECT_EQ(chosen("vector(1Mi, 1, 8, double)", 1, "pack", "device"), "deep words");
  EXPECT_EQ(chosen("vector(2Mi, 1, 8, double)", 1, "pack", "device"), "words");
  EXPECT_EQ(chosen("vector(4Mi, 1, 8, int)", 1, "pack", "pinned"), "words") << "short words";
  EXPECT_EQ(chosen("struct([1, 1], [0, 8], [double, char])", 65536, "pack", "device"), "pattern");
  EXPECT_EQ(chosen("struct([1, 1], [0, 8], [double, char])", 65536, "pack", "pinned"), "pieces");
  EXPECT_EQ(chosen("contiguous(1024, resized(vector(1024, 1, 1024, int), 0, 4))", 1, "unpack", "device"),
            "transposed");
  EXPECT_EQ(chosen("indexed([1, 2, 3, 4], [0, 3, 8, 16], double)", 4096, "unpack", "device"), "deep words");
  EXPECT_EQ(chosen("hvector(262144, 1, 6, short)", 1, "pack", "pinned"), "pieces");
  EXPECT_EQ(chosen("hvector(262144, 1, 6, short)", 1, "unpack", "pinned"), "words");
  EXPECT_EQ(chosen("hvector(262144, 1, 6, short)", 1, "pack", "device"), "words") << "few bytes";
  EXPECT_EQ(chosen("hvector(1Mi, 1, 6, short)", 1, "pack", "device"), "deep words");
  EXPECT_EQ(chosen("hvector(1Mi, 1, 6, short)", 1, "unpack", "device"), "words");
  EXPECT_EQ(chosen("hvector(1Mi, 1, 1024, byte)", 1, "pack", "device"), "words") << "far apart";
  EXPECT_EQ(chosen("hvector(1Mi, 1, 1024, byte)", 1, "pack", "pinned"), "words") << "far apart";
}

TEST(Explain, TheFirstMethodThatSuitsIsTaken) {
  for (const char* expression :
       {"contiguous(4Mi, double)", "vector(131072, 1, 8, double)", "hvector(65536, 24, 33, byte)"}) {
    for (const ExplainedMove& move : of(expression).moves) {
      const auto first = std::ranges::find(move.methods, true, &ConsideredMethod::suits);
      ASSERT_NE(first, move.methods.end()) << expression;
      EXPECT_EQ(first->name, move.chosen) << expression;
      EXPECT_TRUE(move.remarks.empty());
    }
  }
}

TEST(Explain, FloorIsOfSegmentsLinkAndLaunch) {
  const Explanation explanation = of("vector(1000, 1, 8, double)");
  const TransferFloor device = *move_of(explanation, "pack", "device").floor;
  EXPECT_EQ(device.layout_bytes, 64000);
  EXPECT_EQ(device.packed_bytes, 8000);
  EXPECT_EQ(device.link_bytes, 0);
  EXPECT_NEAR(device.us, 72000 / 4276.1 / 1000 + 7.922, 1e-6);
  const TransferFloor pinned = *move_of(explanation, "unpack", "pinned").floor;
  EXPECT_EQ(pinned.link_bytes, 8000);
  EXPECT_NEAR(pinned.us, 8000 / 55.502 / 1000 + 7.922, 1e-6);
}

TEST(Explain, FloorsAreOfTheMachine) {
  const Plan plan = commit(datatype_of("vector(1000, 1, 8, double)"));
  const Explanation other = explain(plan, {.host = false, .machine = "h100"});
  EXPECT_EQ(other.machine, "NVIDIA H100 80GB HBM3");
  EXPECT_NEAR(move_of(other, "pack", "device").floor->us, 72000 / 3011.1 / 1000 + 9.047, 1e-6);
  EXPECT_EQ(explain(plan, {.host = false, .machine = other.machine}).machine, other.machine);
  for (const char* amd : {"mi250x", "mi300x"}) {
    const std::string unmeasured = explain(plan, {.host = false, .machine = amd}).machine;
    EXPECT_TRUE(unmeasured.ends_with("not measured)")) << unmeasured;
    EXPECT_EQ(explain(plan, {.host = false, .machine = unmeasured}).machine, unmeasured);
  }
  EXPECT_EQ(explain(plan, {.gpu = false}).machine, "");
  EXPECT_THROW(explain(plan, {.machine = "abacus"}), InvalidArgument);
  EXPECT_FALSE(GpuRates::recorded("abacus"));
}

TEST(Explain, AdvisesAboutTheLayout) {
  EXPECT_TRUE(advises(of("vector(131072, 1, 8, double)"), "8.0 B for each byte of data"));
  EXPECT_TRUE(advises(of("indexed([2] * 256, range(0, 1024, 4), double)"), "displacements are regular"));
  EXPECT_TRUE(advises(of("struct([1, 1], [0, 8], [double, char])", 1000), "9 of the 16 B of an item"));
  EXPECT_TRUE(advises(of("hvector(65536, 24, 33, byte)"), "multiples of 1 B only"));
  EXPECT_TRUE(advises(of("vector(4, 1, 8, double)"), "the launch"));
  EXPECT_TRUE(advises(of("indexed_block(1, [9, 3, 40], double)"), "no ascending order"));
  EXPECT_TRUE(of("contiguous(16Mi, double)").advice.empty());
  EXPECT_FALSE(advises(of("indexed_block(1, [0, 2, 1, 3], int)"), "displacements are regular"));
  EXPECT_TRUE(
      advises(of("indexed_block(1, range(0, 64, 2), int)", 3), "same as 'repeat 32 x stride 8 of run 4'"));
  EXPECT_TRUE(advises(of("vector(16, 2, -4, int)"), "another order than memory"));
  EXPECT_FALSE(advises(of("vector(16, 2, -4, int)"), "sort the displacements"));
  EXPECT_TRUE(advises(of("hvector(8, 1, 4, double)"), "Runs overlap"));
  EXPECT_FALSE(advises(of("hvector(8, 1, 8, double)"), "Runs overlap"));
  EXPECT_FALSE(advises(of("double"), "for each byte of data"));
  EXPECT_TRUE(advises(of("struct([1, 1], [0, 8], [char, double])", 1000), "9 of the 16 B of an item"));
  EXPECT_TRUE(advises(of("struct([1, 1, 1], [0, 8, 16], [char, double, char])", 9), "widest first"));
  EXPECT_FALSE(advises(of("struct([1, 1], [0, 8], [double, char])", 1000), "widest first"));
  EXPECT_FALSE(advises(of("indexed([1, 2, 3, 4], [0, 3, 8, 16], double)"), "displacements are regular"));
}

TEST(Explain, SaysWhatBecomesOfHints) {
  const Hints hints{.avoid = Resource::multiprocessors,
                    .priority = Priority::high,
                    .method = Method::transposed,
                    .max_blocks = 4};
  const Plan plan = commit(datatype_of("hvector(5000, 1, 24, double)")).with(hints);
  const Explanation explanation = explain(plan, {.host = false});
  EXPECT_EQ(explanation.hints, "avoid=multiprocessors, priority=high, max_blocks=4, method=transposed");
  const ExplainedMove pack = move_of(explanation, "pack", "device");
  EXPECT_EQ(pack.chosen, "bounded");
  ASSERT_EQ(pack.remarks.size(), 4U);
  EXPECT_EQ(
      pack.remarks[0],
      "method=transposed: impossible, it needs a regular layout of two axes and more, and packed bytes");
  EXPECT_EQ(pack.remarks[1],
            "avoid=multiprocessors: impossible, as the driver copies within a device by kernels of its own; "
            "at most 4 "
            "thread blocks move them");
  EXPECT_EQ(pack.remarks[2], "max_blocks=4: no more of them run at a time");
  const ExplainedMove to_host = move_of(explanation, "pack", "pinned");
  EXPECT_EQ(to_host.chosen, "DMA rows");
  ASSERT_EQ(to_host.remarks.size(), 4U);
  EXPECT_EQ(to_host.remarks[1], "avoid=multiprocessors: no kernel runs");
  EXPECT_EQ(to_host.remarks[2], "max_blocks=4: no kernel runs");
  EXPECT_NE(explanation.to_string().find("\nhints\n  avoid=multi"), std::string::npos);
}

TEST(Explain, MeasuresOnTheHost) {
  const Explanation explanation = explain(commit(datatype_of("vector(1000, 1, -8, double)")),
                                          {.count = 3, .gpu = false, .measure = true});
  ASSERT_EQ(explanation.moves.size(), 2U);
  for (const ExplainedMove& move : explanation.moves) EXPECT_GT(move.measured_us.value_or(0), 0);
}

TEST(Explain, MeasuresOnAGpu) {
  if (!gpu_present()) GTEST_SKIP() << "needs a GPU";
  const Explanation explanation =
      explain(commit(datatype_of("vector(1000, 1, 8, double)")), {.host = false, .measure = true});
  EXPECT_NE(explanation.machine, "");
  for (const ExplainedMove& move : explanation.moves) {
    ASSERT_GT(move.measured_us.value_or(0), 0);
    EXPECT_GT(*move.measured_us, 0.5 * move.floor->us);
    for (const ConsideredMethod& method : move.methods) {
      EXPECT_EQ(method.measured_us.has_value(), method.can) << method.name;
    }
  }
}

TEST(Explain, RefusesToMeasureWhatSpansTooMuch) {
  const Plan plan = commit(datatype_of("hvector(2, 1, 8Gi, double)"));
  EXPECT_THROW(explain(plan, {.gpu = false, .measure = true}), InvalidArgument);
  const Plan repeated = commit(datatype_of("hvector(1Mi, 1, 0, contiguous(1Ki, double))"));
  EXPECT_THROW(explain(repeated, {.gpu = false, .measure = true}), InvalidArgument);
}

TEST(Explain, RefusesWhatNoMemoryHolds) {
  EXPECT_THROW(of("struct([1, 1], [0, 1Gi * 1Gi], [int, int])"), InvalidArgument);
  EXPECT_THROW(of("resized(int, 0, 1Gi)", 1 << 20), InvalidArgument);
}

TEST(Explain, RefusesManyRunsThatOverlap) {
  std::string nested = "int";
  for (int level = 0; level < 50; ++level) nested = "hvector(2, 1, 1000, " + nested + ")";
  EXPECT_THROW(of(nested), InvalidArgument);
}

TEST(Explain, RefusesANegativeCount) {
  EXPECT_THROW(of("int", -1), InvalidArgument);
  EXPECT_EQ(of("vector(4, 1, 2, int)", 0).bytes, 0);
}

TEST(Explain, JsonHoldsTheSame) {
  const std::string json = of("vector(4, 1, 8, double)").to_json();
  for (const char* words :
       {"\"count\": 1", "\"layout\": \"repeat 4 x stride 64 of run 8\"", "\"chosen\": \"DMA rows\"",
        "\"measured_us\": null", "\"machine\": \"NVIDIA H200\"", "\"can\": true", "\"hints\": \"\""}) {
    EXPECT_NE(json.find(words), std::string::npos) << words;
  }
}

}  // namespace
}  // namespace typewarp
