// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The example of the README, between the markers, and a test that it does what the README says.
#include <typewarp/p2p.hpp>

void column_to_row(double* matrix, std::int64_t n, int rank, MPI_Comm comm, typewarp::Stream stream) {
  // clang-format off
// [example]
// Column 7 of rank 0's n x n matrix becomes row 3 of rank 1's. A stream is a cudaStream_t, or null.
const typewarp::Plan column = typewarp::commit(typewarp::vector(n, 1, n, typewarp::Named::double_));
const typewarp::Plan row = typewarp::commit(typewarp::contiguous(n, typewarp::Named::double_));
if (rank == 0) typewarp::send(matrix + 7, 1, column, 1, 0, comm, stream);
if (rank == 1) typewarp::recv(matrix + 3 * n, 1, row, 0, 0, comm, stream);
// [/example]
  // clang-format on
}

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace {

TEST(ReadmeExample, MovesTheColumnAndNothingElse) {
  constexpr std::int64_t n = 50;
  std::vector<double> matrix(n * n);
  std::iota(matrix.begin(), matrix.end(), 0.0);
  std::vector<double> expected = matrix;

  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  column_to_row(matrix.data(), n, rank, MPI_COMM_WORLD, nullptr);
  if (rank == 1) {
    for (std::int64_t i = 0; i < n; ++i) {
      expected[static_cast<std::size_t>(3 * n + i)] = static_cast<double>(i * n + 7);
    }
  }
  EXPECT_EQ(matrix, expected);
}

}  // namespace
