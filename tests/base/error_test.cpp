// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/error.hpp>

#include <gtest/gtest.h>

namespace typewarp::test {
namespace {

// InvalidArgument: every test of an argument reads it.

TEST(Error, GpuErrorHoldsCallAndDescription) {
  const GpuError error("cudaMalloc", 2, "out of memory");
  EXPECT_STREQ(error.what(), "cudaMalloc: out of memory");
  EXPECT_EQ(error.code(), 2);
}

TEST(Error, MpiErrorHoldsCallCodeAndClass) {
  const MpiError error("MPI_Recv", 1234, 15, "message truncated");
  EXPECT_STREQ(error.what(), "MPI_Recv: message truncated");
  EXPECT_EQ(error.code(), 1234);
  EXPECT_EQ(error.error_class(), 15);
}

TEST(Error, AllAreErrors) {
  EXPECT_THROW(throw InvalidArgument("f", "a", 1, "r"), Error);
  EXPECT_THROW(throw GpuError("f", 1, "d"), Error);
  EXPECT_THROW(throw MpiError("f", 1, 1, "d"), Error);
}

}  // namespace
}  // namespace typewarp::test
