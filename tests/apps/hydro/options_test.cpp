// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hydro/options.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace hydro {
namespace {

std::variant<apps::HaloOptions, apps::Leave> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "hydro");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Options, AreRead) {
  const auto options =
      std::get<apps::HaloOptions>(parse({"--grid", "2x3", "--size", "40,50", "--steps", "7", "--by", "mpi",
                                         "--memory", "pinned", "--no-validate"}));
  ASSERT_TRUE(options.grid.has_value());
  EXPECT_EQ(options.grid->rows, 2);
  EXPECT_EQ(options.grid->columns, 3);
  EXPECT_EQ(options.size.rows, 40);
  EXPECT_EQ(options.size.columns, 50);
  EXPECT_EQ(options.steps, 7);
  EXPECT_EQ(options.by, apps::By::mpi);
  EXPECT_EQ(options.memory, typewarp::MemoryKind::pinned);
  EXPECT_FALSE(options.validate);
}

TEST(Options, TakeAllWaysByDefault) {
  EXPECT_FALSE(std::get<apps::HaloOptions>(parse({})).by.has_value());
  EXPECT_FALSE(std::get<apps::HaloOptions>(parse({"--by", "all"})).by.has_value());
}

TEST(Options, WrongOnesAreRefused) {
  for (const auto& [option, value] :
       {std::pair{"--size", "1"}, std::pair{"--size", "8,1"}, std::pair{"--grid", "2"},
        std::pair{"--steps", "-1"}, std::pair{"--by", "messages"}}) {
    const auto parsed = parse({option, value});
    ASSERT_TRUE(std::holds_alternative<apps::Leave>(parsed)) << option << " " << value;
    EXPECT_EQ(std::get<apps::Leave>(parsed).exit_code, 2);
    EXPECT_TRUE(std::get<apps::Leave>(parsed).text.starts_with(std::string("hydro: ") + option + " = "))
        << std::get<apps::Leave>(parsed).text;
  }
}

}  // namespace
}  // namespace hydro
