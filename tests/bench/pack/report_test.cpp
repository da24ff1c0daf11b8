// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace typewarp::bench {
namespace {

Row example() {
  Row row{"fig4", "vector/1KiB", "pack", "device", "automatic", 1024, {10, 9, 12.5}, 8, {{"hand", 9.5}}, {}};
  row.view = View{8, {128, 1}, {64, 1}, 0};
  return row;
}

TEST(Report, ARowIsOneLineOfJson) {
  std::ostringstream out;
  Report(out, true).row(example());
  EXPECT_EQ(
      out.str(),
      R"({"figure": "fig4", "case": "vector/1KiB", "packed_bytes": 1024, "direction": "pack", "memory": "device", )"
      R"("method": "automatic", "verified": "no", "median_us": 10, "p10_us": 9, "p90_us": 12.5, "floor_us": 8, )"
      R"("fraction_of_floor": 0.8, "baselines_us": {"hand": 9.5}, )"
      R"("view": {"itemsize": 8, "sizes": "128 1", "strides": "64 1", "offset": 0}})"
      "\n");
}

TEST(Report, WithoutAFloorThereIsNoFraction) {
  Row row = example();
  row.floor_us = 0;
  std::ostringstream out;
  Report(out, true).row(row);
  EXPECT_EQ(out.str().find("floor"), std::string::npos);
}

TEST(Report, ARowIsOneLineOfATable) {
  std::ostringstream out;
  Report(out, false).row(example());
  const std::string text = out.str();
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  EXPECT_NE(text.find("0.800   hand 9.5"), std::string::npos) << text;
}

TEST(Report, AFailedCaseIsALineOfJsonAndNoneOfATable) {
  std::ostringstream json;
  Report(json, true).failed("fig4/vector/1KiB", "typewarp: moves wrongly 1 bytes");
  EXPECT_EQ(json.str(), R"({"failed": "fig4/vector/1KiB", "error": "typewarp: moves wrongly 1 bytes"})"
                        "\n");
  std::ostringstream table;
  Report(table, false).failed("fig4/vector/1KiB", "typewarp: moves wrongly 1 bytes");
  EXPECT_EQ(table.str(), "");
}

TEST(Json, QuotesBackslashesAndControlCharactersAreEscaped) {
  EXPECT_EQ(JsonObject().add("a\"b", std::string_view("c\\d\ne")).text(), R"({"a\"b": "c\\d e"})");
}

}  // namespace
}  // namespace typewarp::bench
