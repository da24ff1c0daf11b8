// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The examples of docs/guide/messages.md, between the markers, and tests that they do what it says.
// [session]
#include <typewarp/completion.hpp>
#include <typewarp/p2p.hpp>
#include <typewarp/session.hpp>

#include <array>

// Swaps the last columns of two n x n matrices, of two ranks, into the first columns of each other.
void swap_columns(double* matrix, std::int64_t n, int other, MPI_Comm comm, typewarp::Stream stream) {
  const typewarp::Plan column = typewarp::commit(typewarp::vector(n, 1, n, typewarp::Named::double_));
  std::array requests{typewarp::irecv(matrix, 1, column, other, 0, comm, stream),
                      typewarp::isend(matrix + n - 1, 1, column, other, 0, comm, stream)};
  typewarp::wait_all(requests);
}

void run(double* matrix, std::int64_t n, int other, typewarp::Stream stream) {
  const typewarp::Session session(MPI_COMM_WORLD);  // collective; messages are fast as long as it lives
  swap_columns(matrix, n, other, MPI_COMM_WORLD, stream);
}  // collective again, before MPI_Finalize
// [/session]

#include <gtest/gtest.h>

#include <vector>

namespace {

TEST(MessagesExample, SwapsColumnsAndNothingElse) {
  for (const std::int64_t n : {std::int64_t{20}, std::int64_t{5000}}) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<double> matrix(static_cast<std::size_t>(n * n), rank + 1.0);
    std::vector<double> expected = matrix;
    for (std::int64_t i = 0; i < n; ++i) expected[static_cast<std::size_t>(i * n)] = 2.0 - rank;
    run(matrix.data(), n, 1 - rank, nullptr);
    EXPECT_EQ(matrix, expected) << n;
  }
}

}  // namespace
