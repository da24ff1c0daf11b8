// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "explain/places.hpp"

#include <typewarp/explain.hpp>

#include <gtest/gtest.h>

namespace typewarp::explanation {
namespace {

Places places(const std::string& expression, std::int64_t count = 1) {
  return places_of(commit(datatype_of(expression)), count);
}

TEST(Places, AreRunsInPackedOrder) {
  const Places found = places("struct([1, 1], [4, 16], [int, double])", 2);
  ASSERT_EQ(found.runs.size(), 4U);
  EXPECT_EQ(found.runs[0].begin, 4);
  EXPECT_EQ(found.runs[1].begin, 16);
  EXPECT_EQ(found.runs[2].item, 1);
  EXPECT_EQ(found.lowest(), 4);
  EXPECT_TRUE(found.all);
  EXPECT_TRUE(found.ascending);
  EXPECT_FALSE(places("vector(4, 1, -2, int)").ascending);
}

TEST(Places, StopWhereNobodyLooks) {
  const Places found = places("vector(1Mi, 1, 2, int)");
  EXPECT_FALSE(found.all);
  EXPECT_EQ(found.runs.size(), Places::most);
}

TEST(Coverage, IsThePartOfEachCell) {
  const std::vector<double> filled = coverage(places("vector(2, 1, 3, int)"), 0, 8, 3);
  EXPECT_EQ(filled, (std::vector<double>{0.5, 0.5, 0}));
}

TEST(PictureText, ShowsEveryByteOfSmallTypes) {
  const std::string text = picture_text(places("vector(4, 1, 2, char)"), 1);
  EXPECT_NE(text.find("#.#.#.#"), std::string::npos) << text;
}

TEST(PictureText, HasARowAStride) {
  const std::string text = picture_text(places("vector(10000, 1, 8, double)"), 1);
  EXPECT_NE(text.find("  #.......#......."), std::string::npos) << text;
}

TEST(PictureSvg, DrawsEachRunOfSmallTypes) {
  const std::string svg = picture_svg(commit(datatype_of("vector(3, 1, 2, int)")));
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  std::size_t runs = 0;
  for (std::size_t at = svg.find("#1f61a8"); at != std::string::npos; at = svg.find("#1f61a8", at + 1))
    ++runs;
  EXPECT_EQ(runs, 3U);
}

TEST(PictureSvg, SaysWhereThereIsNothing) {
  EXPECT_NE(picture_svg(commit(datatype_of("contiguous(0, int)"))).find("no bytes"), std::string::npos);
}

}  // namespace
}  // namespace typewarp::explanation
