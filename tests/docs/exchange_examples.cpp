// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The example of docs/guide/exchange.md, between the markers, and a test that it does what it says.
// [columns]
#include <typewarp/exchange.hpp>
#include <typewarp/mpi_ranks.hpp>

#include <array>

// In each of `steps` steps, the last column of a rows x columns matrix goes to the next rank, and comes as
// the first column from the rank before. `work` enqueues on `stream` what changes the columns in between.
template <typename Work>
void shift_columns(double* matrix, std::int64_t rows, std::int64_t columns, int before, int next, int steps,
                   typewarp::Stream stream, MPI_Comm comm, Work work) {
  const typewarp::Plan column =
      typewarp::commit(typewarp::vector(rows, 1, columns, typewarp::Named::double_));
  const std::array<typewarp::OutgoingPart, 1> sends{{{matrix + columns - 1, 1, column, next}}};
  const std::array<typewarp::IncomingPart, 1> receives{{{matrix, 1, column, before}}};
  typewarp::Exchange exchange(typewarp::mpi::ranks(comm), sends, receives,
                              {.time_limit = std::chrono::seconds(60)});
  for (int step = 0; step < steps; ++step) {
    work(matrix, stream);
    exchange.start(stream);        // makes no MPI call, and waits for nothing
    if (!stream) exchange.wait();  // without a device nothing else orders them
  }
  exchange.wait();
}
// [/columns]

#include <gtest/gtest.h>

#include <vector>

namespace {

TEST(ExchangeExamples, ColumnsGoRound) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr std::int64_t rows = 5, columns = 3;
  std::vector<double> matrix(rows * columns, 0.0);
  // Each step makes the last column one more than the first: round the ring, a number grows by one a rank.
  const auto work = [&](double* data, typewarp::Stream) {
    for (std::int64_t i = 0; i < rows; ++i) data[(i + 1) * columns - 1] = data[i * columns] + 1;
  };
  constexpr int steps = 7;
  shift_columns(matrix.data(), rows, columns, (rank + ranks - 1) % ranks, (rank + 1) % ranks, steps, nullptr,
                MPI_COMM_WORLD, work);
  for (std::int64_t i = 0; i < rows; ++i)
    EXPECT_EQ(matrix[static_cast<std::size_t>(i * columns)], steps) << i;
}

}  // namespace
