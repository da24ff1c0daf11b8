// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/options.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace hacc {
namespace {

std::variant<Options, apps::Leave> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "hacc");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Options, AreRead) {
  const Options options =
      std::get<Options>(parse({"--particles", "7", "--seed", "8", "--repeats", "9", "--by", "hand",
                               "--memory", "pinned", "--file", "blocks"}));
  EXPECT_EQ(options.particles, std::vector<std::int64_t>{7});
  EXPECT_EQ(options.seed, 8);
  EXPECT_EQ(options.repeats, 9);
  EXPECT_EQ(options.by, By::hand);
  EXPECT_EQ(options.memory, typewarp::MemoryKind::pinned);
  EXPECT_EQ(options.file, "blocks");
}

TEST(Options, TakeSeveralSizesOfBlocks) {
  EXPECT_EQ(std::get<Options>(parse({"--particles", "64,256,1"})).particles,
            (std::vector<std::int64_t>{64, 256, 1}));
}

TEST(Options, MoveBlocksByAllWaysByDefault) {
  EXPECT_FALSE(std::get<Options>(parse({})).by.has_value());
  EXPECT_FALSE(std::get<Options>(parse({"--by", "all"})).by.has_value());
}

TEST(Options, WrongOnesNameOptionValueAndRule) {
  const auto refused = [](const char* option, const char* value, const std::string& rule) {
    const apps::Leave leave = std::get<apps::Leave>(parse({option, value}));
    EXPECT_EQ(leave.exit_code, 2) << option;
    EXPECT_NE(leave.text.find(std::string("hacc: ") + option + " = " + value + ": " + rule),
              std::string::npos)
        << leave.text;
  };
  for (const char* wrong : {"0", "7,", "7,x", ",7"}) {
    refused("--particles", wrong, "must be whole numbers from 1 to 1000000, with commas between");
  }
  refused("--repeats", "0", "must be a whole number from 1 to ");
  refused("--seed", "-1", "must be a whole number from 0 to ");
  refused("--by", "magic", "must be one of all");
}

}  // namespace
}  // namespace hacc
