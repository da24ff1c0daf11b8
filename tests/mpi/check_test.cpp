// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/mpi.hpp>

#include <gtest/gtest.h>

#include <string>

namespace typewarp {
namespace {

TEST(Check, AcceptsSuccess) { EXPECT_NO_THROW(mpi::check(MPI_SUCCESS, "MPI_Anything")); }

TEST(Check, ThrowsWithCallClassAndTheTextOfTheMpi) {
  const int code = MPI_Send(nullptr, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  ASSERT_NE(code, MPI_SUCCESS);
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  try {
    mpi::check(code, "MPI_Send");
    FAIL() << "did not throw";
  } catch (const MpiError& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_EQ(error.error_class(), MPI_ERR_COUNT);
    const std::string what = error.what();
    EXPECT_NE(what.find("MPI_Send"), std::string::npos) << what;
    EXPECT_NE(what.find(std::string(text, static_cast<std::size_t>(length))), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace typewarp
