// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/environment.hpp"

#include <typewarp/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>

namespace typewarp::environment {
namespace {

std::string text_of(std::string_view name, std::string_view value) { return fault(name, value).value_or(""); }

TEST(Environment, TakesValuesThatVariablesHave) {
  for (const char* const word : {"gpu", "derived", "all", "stretches", ""})
    EXPECT_EQ(text_of("TYPEWARP_TAKE", word), "");
  for (const char* const word : {"0", "1", ""}) EXPECT_EQ(text_of("TYPEWARP_DISABLE", word), "");
  EXPECT_EQ(text_of("TYPEWARP_STATS", "merged"), "");
  for (const char* const number : {"2", "2147483648"}) EXPECT_EQ(text_of("TYPEWARP_FILE_BYTES", number), "");
  EXPECT_EQ(text_of("TYPEWARP_TRACE", "any/%r file"), "");
  for (const char* const library : {"libnccl.so.2", "0", "/proc/self/exe"})
    EXPECT_EQ(text_of("TYPEWARP_NCCL", library), "");
}

TEST(Environment, NamesTheValuesThatThereAre) {
  EXPECT_EQ(text_of("TYPEWARP_TAKE", "everything"),
            "TYPEWARP_TAKE=everything: must be one of gpu, derived, all, stretches");
  EXPECT_EQ(text_of("TYPEWARP_TAKE", "gpu, derived"),
            "TYPEWARP_TAKE=gpu, derived: must be one of gpu, derived, all, stretches");
  EXPECT_EQ(text_of("TYPEWARP_VERBOSE", "yes"), "TYPEWARP_VERBOSE=yes: must be one of 0, 1");
  for (const char* const wrong :
       {"1", "2147483649", "16M", "-5", " 8", "8 ", "1e3", "99999999999999999999"}) {
    EXPECT_EQ(text_of("TYPEWARP_FILE_BYTES", wrong),
              std::string("TYPEWARP_FILE_BYTES=") + wrong + ": must be a number from 2 to 2147483648");
  }
  EXPECT_EQ(text_of("TYPEWARP_EAGER_BYTES", "64K"), "TYPEWARP_EAGER_BYTES=64K: must be a number from 509 on");
  EXPECT_EQ(text_of("TYPEWARP_CHUNK_BYTES", "63"), "TYPEWARP_CHUNK_BYTES=63: must be a number from 64 on");
  EXPECT_EQ(text_of("TYPEWARP_TIME_LIMIT_MS", "9223372036855"),
            "TYPEWARP_TIME_LIMIT_MS=9223372036855: must be a number from 0 to 9223372036854");
  EXPECT_EQ(
      text_of("TYPEWARP_UCX_LIBRARY", "/none/libucp.so"),
      "TYPEWARP_UCX_LIBRARY=/none/libucp.so: must be the name of a library, or a file that can be read");
}

TEST(Environment, NamesTheNearestOfUnknownVariables) {
  EXPECT_EQ(text_of("TYPEWARP_TAEK", "all"),
            "TYPEWARP_TAEK is no variable of Typewarp: did you mean TYPEWARP_TAKE?");
  EXPECT_EQ(text_of("TYPEWARP_VERBOS", "1"),
            "TYPEWARP_VERBOS is no variable of Typewarp: did you mean TYPEWARP_VERBOSE?");
  EXPECT_EQ(text_of("TYPEWARP_take", "all"),
            "TYPEWARP_take is no variable of Typewarp: did you mean TYPEWARP_TAKE?");
  EXPECT_EQ(text_of("TYPEWARP_NOTHING_LIKE_IT", "1"), "TYPEWARP_NOTHING_LIKE_IT is no variable of Typewarp");
}

TEST(Environment, LeavesTheVariablesOfOthers) {
  for (const char* const name : {"PATH", "TYPEWARPED", "TYPEWARP_TEST_SEED", "TYPEWARP_ROOT", "TYPEWARP_MPI"})
    EXPECT_EQ(text_of(name, "anything"), "") << name;
}

TEST(Environment, SaysOnceWhatIsWrong) {
  ASSERT_EQ(setenv("TYPEWARP_TAKE", "none", 1), 0);
  testing::internal::CaptureStderr();
  tell_faults(true);
  tell_faults(true);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "typewarp: TYPEWARP_TAKE=none: must be one of gpu, derived, all, stretches\n");
  ASSERT_EQ(unsetenv("TYPEWARP_TAKE"), 0);
}

TEST(Environment, ReadsNumbersAndWordsOfTheTable) {
  ASSERT_EQ(setenv("TYPEWARP_FILE_BYTES", "4096", 1), 0);
  ASSERT_EQ(setenv("TYPEWARP_TAKE", "all", 1), 0);
  ASSERT_EQ(setenv("TYPEWARP_NVTX", "1", 1), 0);
  EXPECT_EQ(number("test", "TYPEWARP_FILE_BYTES"), 4096);
  EXPECT_EQ(word("test", "TYPEWARP_TAKE"), 2);
  EXPECT_EQ(word("test", "TYPEWARP_NVTX"), 1);
  for (const char* const name : {"TYPEWARP_FILE_BYTES", "TYPEWARP_TAKE", "TYPEWARP_NVTX"}) {
    ASSERT_EQ(setenv(name, "-1", 1), 0);
    EXPECT_THROW(std::string_view(name).ends_with("BYTES") ? number("test", name).has_value()
                                                           : word("test", name).has_value(),
                 InvalidArgument);
    ASSERT_EQ(setenv(name, "", 1), 0);
    EXPECT_EQ(number("test", name).has_value() || word("test", name).has_value(), false) << name;
    ASSERT_EQ(unsetenv(name), 0);
    EXPECT_EQ(word("test", name), std::nullopt);
  }
}

TEST(Environment, NamesCallVariableAndRuleOfABadValue) {
  ASSERT_EQ(setenv("TYPEWARP_HOST_THREADS", "0", 1), 0);
  try {
    EXPECT_EQ(number("typewarp::host", "TYPEWARP_HOST_THREADS"), std::nullopt);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "typewarp::host: TYPEWARP_HOST_THREADS = 0: must be a number from 1 to 1024");
    EXPECT_EQ(error.argument(), "TYPEWARP_HOST_THREADS");
  }
  ASSERT_EQ(unsetenv("TYPEWARP_HOST_THREADS"), 0);
}

/// The item of a list of the document that begins with a name, or names it among others before its first
/// colon.
std::string item_of(const std::string& document, std::string_view name) {
  const std::string quoted = std::string("`").append(name).append("`");
  for (std::size_t begin = document.find("\n- "); begin != std::string::npos;) {
    std::size_t end = document.find('\n', begin + 1);
    while (end != std::string::npos && document.compare(end, 3, "\n  ") == 0)
      end = document.find('\n', end + 1);
    const std::string item = document.substr(begin, end - begin);
    if (item.substr(0, item.find(": ")).find(quoted) != std::string::npos) return item;
    begin = end == std::string::npos ? end : document.find("\n- ", end);
  }
  return {};
}

TEST(Environment, IsDocumented) {
  std::ifstream file(DOCUMENT);
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  for (const Variable& variable : variables) {
    if (variable.name == "TYPEWARP_MPIFORT_openmpi") break;  // those behind it are not this library's
    const std::string item = item_of(document, variable.name);
    EXPECT_NE(item, "") << variable.name;
    const std::regex word("[a-z_]+");
    const std::string words(variable.words);
    for (std::sregex_iterator at(words.begin(), words.end(), word), end; at != end; ++at) {
      const bool elsewhere = variable.name == "TYPEWARP_PROTOCOL";  // options.md tells its values
      EXPECT_TRUE(elsewhere || item.find("`" + at->str() + "`") != std::string::npos)
          << variable.name << " " << at->str();
    }
  }
  const std::regex name("`(TYPEWARP_[A-Z_]+)`");
  for (std::sregex_iterator at(document.begin(), document.end(), name), end; at != end; ++at)
    EXPECT_EQ(text_of((*at)[1].str(), ""), "");
}

}  // namespace
}  // namespace typewarp::environment
