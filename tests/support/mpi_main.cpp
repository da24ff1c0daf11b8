// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The main of every MPI test program. All ranks run the same tests in the same order; a test fails if it
// fails on any rank. Errors of MPI calls are returned, not fatal, on MPI_COMM_WORLD and MPI_COMM_SELF and
// what is made of them. With TYPEWARP_TEST_ONE_THREAD the MPI is told that only one thread calls.

#include <gtest/gtest.h>

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Ends every test on all ranks together: a rank that hangs because another one left a test early
/// would otherwise keep the whole program until somebody kills it.
class TogetherListener : public testing::EmptyTestEventListener {
 public:
  void OnTestEnd(const testing::TestInfo& test) override {
    const int failed = test.result()->Failed() ? 1 : 0;
    int failures = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&failed, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    const Clock::time_point start = Clock::now();
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    while (done == 0) {
      if (Clock::now() - start > patience) {
        std::fprintf(stderr, "[rank %d] %s.%s: other ranks did not finish this test; giving up\n",
                     rank_of_world(), test.test_suite_name(), test.name());
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    if (failures > failed) ADD_FAILURE() << "failed on " << failures - failed << " other rank(s)";
  }

 private:
  static constexpr std::chrono::seconds patience{180};
};

/// What the ranks other than 0 say: failures only.
class FailuresOnly : public testing::EmptyTestEventListener {
 public:
  void OnTestStart(const testing::TestInfo& test) override { test_ = &test; }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "[rank %d] %s.%s\n%s:%d: %s\n", rank_of_world(),
                 test_ ? test_->test_suite_name() : "", test_ ? test_->name() : "",
                 result.file_name() ? result.file_name() : "", result.line_number(), result.summary());
  }

 private:
  // GoogleTest holds a lock during OnTestPartResult, in which asking it for the current test never returns.
  const testing::TestInfo* test_ = nullptr;
};

void announce() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string_view version(text.data(), static_cast<std::size_t>(length));
  const std::string_view line = version.substr(0, version.find('\n'));
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::printf("MPI: %.*s, %d rank(s)\n", static_cast<int>(line.size()), line.data(), ranks);
}

int run_on_all_ranks() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank_of_world() == 0) {
    announce();
  } else {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly);
  }
  listeners.Append(new TogetherListener);
  const int failed = RUN_ALL_TESTS();
  int any = 0;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return any;
}

}  // namespace

int main(int argc, char** argv) {
  setenv("TYPEWARP_PROFILE", "", 0);  // what somebody has measured here must not change what is tested
  int granted = MPI_THREAD_SINGLE;
  const bool one_thread = std::getenv("TYPEWARP_TEST_ONE_THREAD") != nullptr;
  MPI_Init_thread(&argc, &argv, one_thread ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &granted);
  testing::InitGoogleTest(&argc, argv);
  int result = 1;
  try {
    result = run_on_all_ranks();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "[rank %d] %s\n", rank_of_world(), error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return result;
}
