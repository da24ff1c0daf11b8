// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/launch/run.hpp"

#include "cli/launch/program.hpp"

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

std::string refused(const Words& words) {
  try {
    parse_run(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(Run, ATimelineThatCannotBeWrittenIsRefusedAtOnce) {
  EXPECT_EQ(
      "--trace: '/nonexistent/x' cannot be written: No such file or directory (TYPEWARP_TRACE may name a "
      "folder that only the ranks' hosts have)",
      refused({"--trace", "/nonexistent/x", "a"}));
  EXPECT_NE(std::string::npos,
            refused({"--trace", "/tmp", "a"}).find("'/tmp' cannot be written: Is a directory"));
  EXPECT_NE(std::string::npos, refused({"--trace", "/dev/null/x", "a"}).find("Not a directory"));
  EXPECT_EQ("", refused({"--trace", "/tmp/typewarp.%r.json", "a"}));
}

TEST(Run, MisspeltOptionsAreToldTheNearest) {
  EXPECT_EQ("unknown option '--stast'; did you mean '--stats'? (the command follows '--')",
            refused({"--stast", "a"}));
  EXPECT_EQ("unknown option '--verb'; did you mean '--verbose'? (the command follows '--')",
            refused({"--verb", "a"}));
  EXPECT_EQ("unknown option '--nonsense' (the command follows '--')", refused({"--nonsense", "a"}));
  EXPECT_EQ("unknown option '-x' (the command follows '--')", refused({"-x", "a"}));
}

TEST(Run, RuntimesOfSanitizersStandInFrontOfOurLibrary) {
  EXPECT_EQ("libasan.so.8:/t/lib.so:/u.so", joined_preload("/t/lib.so", "/u.so libasan.so.8"));
  EXPECT_EQ("/l/libclang_rt.asan-x86_64.so:libubsan.so.1:/t/lib.so:/u.so",
            joined_preload(joined_preload("/t/lib.so", "/l/libclang_rt.asan-x86_64.so:libubsan.so.1"),
                           "/u.so:libubsan.so.1"));
  EXPECT_EQ("libtsan.so.2:/t/lib.so:libsane.so.1:libartisan.so:/asan/libx.so",
            joined_preload("/t/lib.so", "libsane.so.1:libartisan.so:/asan/libx.so:libtsan.so.2"));
  EXPECT_EQ("/t/lib.so", joined_preload("/t/lib.so", ""));
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
