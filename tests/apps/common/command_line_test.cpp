// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/halo/command_line.hpp"

#include <gtest/gtest.h>

namespace apps {
namespace {

std::string refusal(const std::string& text, char separator, std::size_t parts, bool one_for_all) {
  try {
    parse_numbers("--grid", text, separator, parts, 100, one_for_all);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

TEST(CommandLine, ReadsNumbersWithASeparator) {
  EXPECT_EQ(parse_numbers("--grid", "2x3x100", 'x', 3, 100, false), (std::vector<std::int64_t>{2, 3, 100}));
  EXPECT_EQ(parse_numbers("--size", "7", ',', 2, 100, true), (std::vector<std::int64_t>{7, 7}));
}

TEST(CommandLine, SaysWhichNumbersItTakes) {
  for (const char* wrong : {"", "2", "2x", "x2", "2x0x1", "2x3x101", "1x2x3x4", "2x3xa"}) {
    EXPECT_EQ(refusal(wrong, 'x', 3, false),
              std::string("--grid = ") + wrong +
                  ": must be three positive numbers such as 2x3x4, each at most 100");
  }
  EXPECT_EQ(refusal("0", ',', 2, true),
            "--grid = 0: must be two positive numbers such as 2,3, or one for all, each at most 100");
}

TEST(CommandLine, LeavesWithTheProgramsName) {
  CLI::App app("", "thing");
  const char* const arguments[]{"thing", "--wrong"};
  const std::optional<Leave> left = parse(app, 2, arguments, [] {});
  ASSERT_TRUE(left.has_value());
  EXPECT_EQ(left->exit_code, 2);
  EXPECT_TRUE(left->text.starts_with("thing: ")) << left->text;
}

TEST(CommandLine, SaysWhatTheLargestSizeDependsOn) {
  EXPECT_NO_THROW(check_size({2, 1 << 26}, 2, 8, "8 variables"));
  try {
    check_size({1 << 27, 2}, 2, 8, "8 variables");
    FAIL();
  } catch (const CLI::ParseError& error) {
    EXPECT_STREQ(error.what(),
                 "--size = 134217728,2: must be at most 134217723 in both directions with 8 "
                 "variables, so that messages fit an int");
  }
}

}  // namespace
}  // namespace apps
