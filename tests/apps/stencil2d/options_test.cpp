// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/options.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace stencil2d {
namespace {

std::variant<Options, apps::Leave> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "stencil2d");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Options, HaveDefaults) {
  const Options options = std::get<Options>(parse({}));
  EXPECT_FALSE(options.grid.has_value());
  EXPECT_FALSE(options.memory.has_value());
  EXPECT_EQ(options.halo, 1);
  EXPECT_TRUE(options.validate);
  EXPECT_TRUE(options.table);
}

TEST(Options, AreRead) {
  const Options options = std::get<Options>(parse(
      {"--grid", "2x3", "--size", "40,50", "--type", "float", "--memory", "pinned", "--halo", "4",
       "--iterations", "7", "--exchange", "hand", "--no-validate", "--no-table", "--progress", "none"}));
  ASSERT_TRUE(options.grid.has_value());
  EXPECT_EQ(options.grid->rows, 2);
  EXPECT_EQ(options.grid->columns, 3);
  EXPECT_EQ(options.size.rows, 40);
  EXPECT_EQ(options.size.columns, 50);
  EXPECT_EQ(options.precision, Precision::single_precision);
  EXPECT_EQ(options.memory, typewarp::MemoryKind::pinned);
  EXPECT_EQ(options.halo, 4);
  EXPECT_EQ(options.iterations, 7);
  EXPECT_EQ(options.exchange, ExchangeBy::hand);
  EXPECT_FALSE(options.validate);
  EXPECT_FALSE(options.table);
  EXPECT_EQ(options.progress, apps::ProgressStyle::none);
}

TEST(Options, TakeOneNumberForBothSides) {
  const Options options = std::get<Options>(parse({"--size", "77"}));
  EXPECT_EQ(options.size.rows, 77);
  EXPECT_EQ(options.size.columns, 77);
}

TEST(Options, HelpIsNoError) {
  const apps::Leave leave = std::get<apps::Leave>(parse({"--help"}));
  EXPECT_EQ(leave.exit_code, 0);
  EXPECT_NE(leave.text.find("--grid"), std::string::npos);
}

TEST(Options, ReadNumbersAsDecimal) {
  EXPECT_EQ(std::get<Options>(parse({"--iterations", "010"})).iterations, 10);
  EXPECT_EQ(std::get<Options>(parse({"--halo", "010"})).halo, 10);
}

TEST(Options, WrongNumbersAreRefusedWithTheirRule) {
  for (const std::string option : {"--iterations", "--halo"}) {
    for (const char* number : {"99999999999999999999999", "1000000000000001", "0x10", "1.5", "1e3", "-1",
                               "+1", "7 ", "seven", "--no-table"}) {
      const auto parsed = parse({option.c_str(), number});
      ASSERT_TRUE(std::holds_alternative<apps::Leave>(parsed)) << option << " " << number;
      const apps::Leave& leave = std::get<apps::Leave>(parsed);
      EXPECT_EQ(leave.exit_code, 2);
      EXPECT_NE(leave.text.find(option + " = " + number + ": must be a whole number from "),
                std::string::npos)
          << leave.text;
    }
  }
}

TEST(Options, WrongOnesNameOptionValueAndRule) {
  const auto refused = [](const char* option, const char* value, const std::string& rule) {
    const apps::Leave leave = std::get<apps::Leave>(parse({option, value}));
    EXPECT_EQ(leave.exit_code, 2) << option;
    EXPECT_NE(leave.text.find(std::string(option) + " = " + value + ": " + rule), std::string::npos)
        << leave.text;
  };
  for (const char* grid : {"2", "0x2", "2x", "ax2"}) refused("--grid", grid, "must be two positive numbers");
  for (const char* size : {"-5", "10,-3", "10,x", "99999999999999999999"})
    refused("--size", size, "must be two positive numbers");
  refused("--halo", "0", "must be a whole number from 1 to ");
  refused("--type", "quad", "must be one of float");
  refused("--memory", "gpu", "must be one of");
  refused("--exchange", "MPI", "must be one of typewarp");
  refused("--picture", "field.jpg", "this build writes");
  refused("--picture", "--no-validate", "must not start with '-'");
  EXPECT_EQ(std::get<apps::Leave>(parse({"--picture="})).exit_code, 2);
  const apps::Leave unknown = std::get<apps::Leave>(parse({"--sise=4"}));
  EXPECT_NE(unknown.text.find("The following argument was not expected: --sise=4"), std::string::npos);
}

TEST(Options, SidesAreTimedWhereEachIsCopiedOrSentApart) {
  const auto by = [](const char* exchange) { return parse({"--by-side", "--exchange", exchange}); };
  EXPECT_TRUE(std::get<Options>(by("hand")).by_side);
  EXPECT_EQ(std::get<Options>(by("mpi")).exchange, ExchangeBy::mpi);
  EXPECT_NE(std::get<apps::Leave>(by("typewarp")).text.find("--exchange = typewarp: must be hand or mpi"),
            std::string::npos);
}

}  // namespace
}  // namespace stencil2d
