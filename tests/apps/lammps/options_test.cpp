// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/options.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace lammps {
namespace {

std::variant<Options, apps::Leave> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "lammps");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Options, AreRead) {
  const Options options =
      std::get<Options>(parse({"--grid", "1x2x3", "--cells", "4,5,6", "--steps", "7", "--every", "8",
                               "--seed", "9", "--by", "exchange", "--memory", "managed", "--no-validate"}));
  EXPECT_EQ(options.grid, (Grid{1, 2, 3}));
  EXPECT_EQ(options.cells, (Grid{4, 5, 6}));
  EXPECT_EQ(options.steps, 7);
  EXPECT_EQ(options.every, 8);
  EXPECT_EQ(options.seed, 9);
  EXPECT_EQ(options.by, By::exchange);
  EXPECT_EQ(options.memory, typewarp::MemoryKind::managed);
  EXPECT_FALSE(options.validate);
}

TEST(Options, TakeOneNumberForAllAxes) {
  EXPECT_EQ(std::get<Options>(parse({"--cells", "5"})).cells, (Grid{5, 5, 5}));
}

TEST(Options, WrongOnesNameOptionValueAndRule) {
  const auto refused = [](const char* option, const char* value, const std::string& rule) {
    const apps::Leave leave = std::get<apps::Leave>(parse({option, value}));
    EXPECT_EQ(leave.exit_code, 2) << option;
    EXPECT_NE(leave.text.find(std::string("lammps: ") + option + " = " + value + ": " + rule),
              std::string::npos)
        << leave.text;
  };
  refused("--grid", "2x2", "must be three positive numbers");
  refused("--cells", "2,2", "must be three positive numbers");
  refused("--cells", "1", "must be at least 2 along each axis");
  refused("--cells", "1,4,4", "must be at least 2 along each axis");
  refused("--steps", "-1", "must be a whole number from 0 to ");
  refused("--every", "0", "must be a whole number from 1 to ");
  refused("--by", "pigeon", "must be one of all");
}

}  // namespace
}  // namespace lammps
