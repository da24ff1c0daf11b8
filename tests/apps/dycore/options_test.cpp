// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dycore/options.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace dycore {
namespace {

std::variant<Options, apps::Leave> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "dycore");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Options, AreRead) {
  const auto options = std::get<Options>(parse({"--levels", "9", "--size", "40,50", "--by", "hand"}));
  EXPECT_EQ(options.levels, 9);
  EXPECT_EQ(options.size.rows, 40);
  EXPECT_EQ(options.size.columns, 50);
  EXPECT_EQ(options.by, apps::By::hand);
}

TEST(Options, WrongOnesAreRefused) {
  for (const auto& [option, value] :
       {std::pair{"--size", "2"}, std::pair{"--size", "8,2"}, std::pair{"--size", "3,60000000"},
        std::pair{"--levels", "1"}, std::pair{"--levels", "10001"}, std::pair{"--levels", "many"}}) {
    const auto parsed = parse({option, value});
    ASSERT_TRUE(std::holds_alternative<apps::Leave>(parsed)) << option << " " << value;
    EXPECT_EQ(std::get<apps::Leave>(parsed).exit_code, 2);
    EXPECT_TRUE(std::get<apps::Leave>(parsed).text.starts_with(std::string("dycore: ") + option + " = "))
        << std::get<apps::Leave>(parsed).text;
  }
}

TEST(Options, SayWhatTheLargestSizeDependsOn) {
  const auto parsed = parse({"--size", "3,20000", "--levels", "10000"});
  ASSERT_TRUE(std::holds_alternative<apps::Leave>(parsed));
  EXPECT_EQ(
      std::get<apps::Leave>(parsed).text,
      "dycore: --size = 3,20000: must be at most 14310 in both directions with --levels = 10000, so that "
      "messages fit an int (see --help)\n");
  EXPECT_TRUE(std::holds_alternative<Options>(parse({"--size", "3,20000", "--levels", "1000"})));
}

}  // namespace
}  // namespace dycore
