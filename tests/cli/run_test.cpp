// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/launch/run.hpp"

#include <gtest/gtest.h>

namespace typewarp::cli {
namespace {

TEST(Run, OptionsStandForVariables) {
  const RunOptions options =
      parse_run({"--stats", "--verbose", "--trace", "t.json", "--print", "--", "mpirun", "--stats", "./a"});
  EXPECT_EQ((Variables{{"TYPEWARP_STATS", "1"}, {"TYPEWARP_VERBOSE", "1"}, {"TYPEWARP_TRACE", "t.json"}}),
            options.variables);
  EXPECT_EQ((Words{"mpirun", "--stats", "./a"}), options.command);
  EXPECT_TRUE(options.print);
}

TEST(Run, CommandMayFollowAtOnce) {
  EXPECT_EQ((Words{"mpirun", "-n", "2"}), parse_run({"mpirun", "-n", "2"}).command);
}

TEST(Run, WrongUsageIsNamed) {
  EXPECT_THROW(parse_run({}), UsageError);
  EXPECT_THROW(parse_run({"--stats", "--"}), UsageError);
  EXPECT_THROW(parse_run({"--trace"}), UsageError);
  EXPECT_THROW(parse_run({"--trace", "--", "a"}), UsageError);
  try {
    parse_run({"--nonsense", "a"});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string::npos, std::string(error.what()).find("'--nonsense'"));
  }
}

}  // namespace
}  // namespace typewarp::cli
