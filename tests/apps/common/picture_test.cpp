// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/picture/picture.hpp"

#include <typewarp/error.hpp>

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace apps {
namespace {

std::array<int, 3> pixel(const Image& image, std::int64_t row, std::int64_t column) {
  const auto at = static_cast<std::size_t>(3 * (row * image.width + column));
  return {image.pixels[at], image.pixels[at + 1], image.pixels[at + 2]};
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Picture, ShowsSignsInDifferentColours) {
  const Image image = render<double>({-1, 0, 1}, {1, 3}, {1, 1});
  ASSERT_EQ(image.width, 3);
  ASSERT_EQ(image.height, 1);
  EXPECT_GT(pixel(image, 0, 0)[2], pixel(image, 0, 0)[0]);
  EXPECT_GT(pixel(image, 0, 2)[0], pixel(image, 0, 2)[2]);
  EXPECT_LT(pixel(image, 0, 1)[0], 30);
}

TEST(Picture, ScalesLargeFieldsDown) {
  const Image image = render(std::vector<float>(2049 * 3, 1.0f), {3, 2049}, {1, 1});
  EXPECT_EQ(image.width, 683);
  EXPECT_EQ(image.height, 1);
}

TEST(Picture, ShowsTheBordersOfRanks) {
  const Image image = render(std::vector<float>(16, 0.0f), {4, 4}, {2, 2});
  EXPECT_NE(pixel(image, 0, 2), pixel(image, 0, 0));
  EXPECT_NE(pixel(image, 2, 0), pixel(image, 0, 0));
  EXPECT_EQ(pixel(image, 1, 1), pixel(image, 0, 0));
  EXPECT_EQ(pixel(image, 3, 3), pixel(image, 0, 0));
}

TEST(Picture, IsWrittenInTheFormatOfItsName) {
  const auto folder = std::filesystem::temp_directory_path();
  const Image image = render<double>({-1, 0, 1}, {1, 3}, {1, 1});
  const auto ppm = folder / "typewarp_picture_test.ppm";
  write_picture(ppm.string(), image);
  EXPECT_EQ(contents(ppm), "P6\n3 1\n255\n" + std::string(image.pixels.begin(), image.pixels.end()));
  std::filesystem::remove(ppm);
  const auto png = folder / "typewarp_picture_test.png";
  if (can_write_picture(png.string())) {
    write_picture(png.string(), image);
    EXPECT_EQ(contents(png).substr(1, 3), "PNG");
    std::filesystem::remove(png);
  }
}

TEST(Picture, KnowsBeforehandWhatCanBeWritten) {
  const auto folder = std::filesystem::temp_directory_path();
  const auto file = folder / "typewarp_picture_probe_test.ppm";
  std::filesystem::remove(file);
  EXPECT_EQ(why_unwritable(file.string()), "");
  EXPECT_FALSE(std::filesystem::exists(file));
  std::ofstream(file) << "kept";
  EXPECT_EQ(why_unwritable(file.string()), "");
  EXPECT_EQ(contents(file), "kept");
  std::filesystem::remove(file);
  EXPECT_EQ(why_unwritable("/nowhere/field.ppm"), "No such file or directory");
  EXPECT_EQ(why_unwritable(folder.string()), "Is a directory");
}

TEST(Picture, SaysWhichFileItCannotWrite) {
  const Image image = render<double>({1}, {1, 1}, {1, 1});
  try {
    write_picture("/nowhere/field.ppm", image);
    FAIL() << "no exception";
  } catch (const typewarp::Error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/field.ppm"), std::string::npos);
  }
}

}  // namespace
}  // namespace apps
