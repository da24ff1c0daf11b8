// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <gtest/gtest.h>

namespace typewarp::test {

/// What MPI_Type_size, MPI_Type_get_extent and MPI_Type_get_true_extent say.
inline void expect_bounds(const Datatype& type, std::int64_t size, std::int64_t lb, std::int64_t extent,
                          std::int64_t true_lb, std::int64_t true_extent) {
  SCOPED_TRACE(type.to_string());
  EXPECT_EQ(type.size(), size);
  EXPECT_EQ(type.lb(), lb);
  EXPECT_EQ(type.ub(), lb + extent);
  EXPECT_EQ(type.extent(), extent);
  EXPECT_EQ(type.true_lb(), true_lb);
  EXPECT_EQ(type.true_ub(), true_lb + true_extent);
  EXPECT_EQ(type.true_extent(), true_extent);
}

/// {(double, 0), (char, 8)}, extent 16: the type that the examples of MPI 5.0, chapter 5 build upon.
inline Datatype double_char() { return structure({1, 1}, {0, 8}, {Named::double_, Named::char_}); }

}  // namespace typewarp::test
