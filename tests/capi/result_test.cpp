// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "capi/result.hpp"

#include <typewarp/error.hpp>
#include <typewarp/halo_disagreement.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <new>
#include <string>
#include <thread>

namespace typewarp::capi {
namespace {

template <class Exception>
tw_result result_of(const Exception& exception) {
  return guarded("tw_call", [&] { throw exception; });
}

TEST(Result, TellsKindsOfErrorsApart) {
  EXPECT_EQ(result_of(InvalidArgument("call", "argument", 3, "must be 4")), TW_ERR_ARGUMENT);
  EXPECT_EQ(result_of(halo::Disagreement("text")), TW_ERR_DISAGREEMENT);
  EXPECT_EQ(result_of(TimeLimitExceeded("text", 0)), TW_ERR_TIME_LIMIT);
  EXPECT_EQ(result_of(GpuError("call", 2, "text")), TW_ERR_GPU);
  EXPECT_EQ(result_of(MpiError("call", 1, MPI_ERR_TRUNCATE, "text")), TW_ERR_MPI);
  EXPECT_EQ(result_of(std::bad_alloc()), TW_ERR_MEMORY);
  EXPECT_EQ(result_of(Error("text")), TW_ERR_OTHER);
  EXPECT_EQ(result_of(3), TW_ERR_OTHER);
}

TEST(Result, HasTheTextOfTheLastFailureOfTheThread) {
  std::thread([] { EXPECT_STREQ(tw_error_text(), ""); }).join();
  EXPECT_EQ(result_of(Error("one")), TW_ERR_OTHER);
  EXPECT_STREQ(tw_error_text(), "one");
  EXPECT_EQ(guarded("tw_call", [] {}), TW_SUCCESS);
  EXPECT_STREQ(tw_error_text(), "one");
  std::thread([] { EXPECT_EQ(result_of(Error("of another thread")), TW_ERR_OTHER); }).join();
  EXPECT_STREQ(tw_error_text(), "one");
}

TEST(Result, NamesWhatIsNull) {
  EXPECT_EQ(guarded("tw_call", [] { require(nullptr, "tw_call", "thing"); }), TW_ERR_ARGUMENT);
  EXPECT_EQ(std::string(tw_error_text()).substr(0, 14), "tw_call: thing");
  const int something = 0;
  EXPECT_EQ(guarded("tw_call", [&] { require(&something, "tw_call", "thing"); }), TW_SUCCESS);
}

TEST(Result, HasTheArgumentAndTheCodeOfTheLastFailure) {
  EXPECT_EQ(result_of(InvalidArgument("call", "things[2]", 3, "must be 4")), TW_ERR_ARGUMENT);
  EXPECT_STREQ(tw_error_argument(), "things[2]");
  EXPECT_EQ(tw_error_code(), 0);
  EXPECT_EQ(result_of(GpuError("call", 2, "text")), TW_ERR_GPU);
  EXPECT_STREQ(tw_error_argument(), "");
  EXPECT_EQ(tw_error_code(), 2);
  EXPECT_EQ(result_of(MpiError("call", 17, MPI_ERR_TRUNCATE, "text")), TW_ERR_MPI);
  EXPECT_EQ(tw_error_code(), 17);
  EXPECT_EQ(result_of(TimeLimitExceeded("text", 5)), TW_ERR_TIME_LIMIT);
  EXPECT_EQ(tw_error_code(), 5);
  EXPECT_EQ(guarded("tw_call", [] {}), TW_SUCCESS);
  EXPECT_EQ(tw_error_code(), 5);
  EXPECT_EQ(result_of(Error("text")), TW_ERR_OTHER);
  EXPECT_EQ(tw_error_code(), 0);
}

// A value and a rule may hold what stands between them.
TEST(Result, NamesTheCallAndItsArgument) {
  const InvalidArgument error("typewarp::call", "thing[1]", "a: b = c", "must be: d");
  EXPECT_EQ(result_of(error), TW_ERR_ARGUMENT);
  EXPECT_STREQ(tw_error_text(), "tw_call: thing[1] = a: b = c: must be: d");
  EXPECT_STREQ(renamed(error, "tw_other", "name").what(), "tw_other: name = a: b = c: must be: d");
  EXPECT_EQ(renamed(error, "tw_other", "name").argument(), "name");
}

}  // namespace
}  // namespace typewarp::capi
