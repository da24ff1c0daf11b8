// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/completion.hpp>
#include <typewarp/p2p.hpp>
#include <typewarp/probe.hpp>
#include <typewarp/session.hpp>

#include <gtest/gtest.h>

#include <string>

namespace typewarp::test {

/// Why no test of this program can run; empty: all can. Said by each of them, since GoogleTest counts those
/// as passed that an environment skips.
inline std::string& reason_to_skip() {
  static std::string reason;
  return reason;
}

/// A communicator of all ranks for each test, so that what a failing test leaves behind meets nobody. Its
/// errors are returned.
class Session : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm_), MPI_SUCCESS);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &ranks_);
    if (!reason_to_skip().empty()) GTEST_SKIP() << reason_to_skip();
  }
  void TearDown() override { MPI_Comm_free(&comm_); }

  /// The other rank of a pair (0-1, 2-3, ...); with an odd number of ranks the last is its own partner.
  int partner() const {
    const int other = rank_ ^ 1;
    return other < ranks_ ? other : rank_;
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 1;
};

}  // namespace typewarp::test

/// Leaves the test on all ranks, visibly, if there are fewer than `n`.
#define TYPEWARP_NEEDS_RANKS(n) \
  if (ranks_ < (n)) GTEST_SKIP() << "needs " << (n) << " ranks"

#define TYPEWARP_NEEDS_THREADS()                                                                    \
  if (int granted = 0; MPI_Query_thread(&granted) != MPI_SUCCESS || granted != MPI_THREAD_MULTIPLE) \
  GTEST_SKIP() << "needs an MPI that grants MPI_THREAD_MULTIPLE"

/// Open MPI 5.0.11 keeps to the posted buffer only if the message is small and comes from another process: a
/// longer one (and any of its own) is fetched whole, over whatever lies behind the buffer. Plain MPI calls
/// show the same.
#ifdef OPEN_MPI
#define TYPEWARP_NEEDS_SAFE_TRUNCATION()                                         \
  if (partner() == rank_)                                                        \
  GTEST_SKIP() << "Open MPI writes beyond the buffer of a truncated message to " \
                  "itself"
#else
#define TYPEWARP_NEEDS_SAFE_TRUNCATION() static_cast<void>(0)
#endif
