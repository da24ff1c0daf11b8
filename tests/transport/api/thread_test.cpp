// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Threads of one rank, each with its own conversation, under MPI_THREAD_MULTIPLE.

#include "support/user_buffer.hpp"
#include "transport/fixture.hpp"

#include <thread>
#include <vector>

namespace typewarp {
namespace {

using test::Session;
using test::UserBuffer;

class Threads : public Session {};

TEST_F(Threads, TalkAtOnce) {
  int granted = MPI_THREAD_SINGLE;
  MPI_Query_thread(&granted);
  if (granted != MPI_THREAD_MULTIPLE) GTEST_SKIP() << "needs an MPI that grants MPI_THREAD_MULTIPLE";
  constexpr int threads = 4;
  constexpr int rounds = 50;
  const Datatype column = vector(300, 2, 5, Named::int_);
  const Plan plan = commit(column);
  std::vector<int> wrong(threads, 0);
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      for (int round = 0; round < rounds; ++round) {
        const auto seed = static_cast<std::uint64_t>(100 * t + round);
        UserBuffer sent(column, 1, seed);
        UserBuffer received(column, 1, 1);
        sendrecv(sent.origin(), 1, plan, partner(), t, received.origin(), 1, plan, partner(), t, comm_,
                 nullptr);
        if (gathered(received, column, 1) != gathered(sent, column, 1)) ++wrong[static_cast<std::size_t>(t)];
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(wrong, std::vector<int>(threads, 0));
}

}  // namespace
}  // namespace typewarp
