// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Linked to a suite, this gives each rank a device of its own if TYPEWARP_TEST_DEVICES is own; shared, or
// unset: all have the first. Skips all where there are not as many.

#include "transport/fixture.hpp"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <string_view>

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

const testing::Environment* asked_for() {
  const char* const devices = std::getenv("TYPEWARP_TEST_DEVICES");
  const bool own = devices != nullptr && std::string_view(devices) == "own";
  return own ? testing::AddGlobalTestEnvironment(new EachItsDevice) : nullptr;
}

[[maybe_unused]] const testing::Environment* const environment = asked_for();

}  // namespace
