// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Linked to a suite, this gives each rank a device of its own. Skips all where there are not as many.

#include "transport/fixture.hpp"

#include <cuda_runtime_api.h>

namespace {

class EachItsDevice : public testing::Environment {
 public:
  void SetUp() override {
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < ranks) {
      typewarp::test::reason_to_skip() = "needs " + std::to_string(ranks) + " GPUs";
      return;
    }
    ASSERT_EQ(cudaSetDevice(rank), cudaSuccess);
  }
};

[[maybe_unused]] const testing::Environment* const environment =
    testing::AddGlobalTestEnvironment(new EachItsDevice);

}  // namespace
