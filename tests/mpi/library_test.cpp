// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/library.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

namespace typewarp::mpi {
namespace {

TEST(Library, IsTheOneThatTheHeaderIsOf) {
#ifdef OPEN_MPI
  EXPECT_TRUE(is_open_mpi());
#else
  EXPECT_FALSE(is_open_mpi());
#endif
}

}  // namespace
}  // namespace typewarp::mpi
