// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/calls.hpp"
#include "engine/host/pool.hpp"

#include <typewarp/error.hpp>
#include <typewarp/host.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace typewarp::host {
namespace {

TEST(HostPool, RunsEveryPartOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    for (const std::int64_t parts : {0, 1, 2, 7, 100}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(parts));
      run_parts(threads, parts, [&](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; });
      for (const auto& count : runs) EXPECT_EQ(count, 1);
    }
  }
}

TEST(HostPool, UsesOtherThreadsButNoMoreThanAsked) {
  std::mutex mutex;
  std::condition_variable another;
  std::set<std::thread::id> seen;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  run_parts(3, 30, [&](std::int64_t) {
    std::unique_lock lock(mutex);
    seen.insert(std::this_thread::get_id());
    another.notify_all();
    another.wait_until(lock, patience, [&] { return seen.size() >= 3; });
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(3));  // in which others would come
  });
  EXPECT_EQ(seen.size(), 3U);
  EXPECT_TRUE(seen.contains(std::this_thread::get_id()));
}

TEST(HostPool, FirstExceptionReachesTheCallerAndThePoolGoesOn) {
  for (const int threads : {1, 3}) {
    std::atomic<int> ran{0};
    try {
      run_parts(threads, 50, [&](std::int64_t i) {
        ++ran;
        if (i == 5) throw std::runtime_error("part 5");
      });
      FAIL() << "nothing thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "part 5");
    }
    EXPECT_LE(ran, 50);
    ran = 0;
    run_parts(threads, 50, [&](std::int64_t) { ++ran; });
    EXPECT_EQ(ran, 50);
  }
}

TEST(HostPool, ACallerThatFindsItBusyGoesAlone) {
  ::alarm(60);  // ends a process that hangs
  std::atomic<int> begun{0};
  std::atomic<int> inner{0};
  // Two threads are at work before either calls.
  run_parts(2, 2, [&](std::int64_t) {
    ++begun;
    while (begun < 2) std::this_thread::yield();
    run_parts(2, 4, [&](std::int64_t) { ++inner; });
  });
  ::alarm(0);
  EXPECT_EQ(inner, 8);
}

TEST(HostPool, ReturnsWhenAllPartsHaveEnded) {
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> begun{0};
    std::atomic<int> ended{0};
    const std::thread::id caller = std::this_thread::get_id();
    // The caller's part ends once the other has begun, which then takes far longer than any thread looks on.
    run_parts(2, 2, [&](std::int64_t) {
      ++begun;
      while (begun < 2) std::this_thread::yield();
      if (std::this_thread::get_id() != caller) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ++ended;
    });
    EXPECT_EQ(ended, 2);
  }
}

TEST(HostPool, WorksInAForkedChild) {
  std::atomic<int> ran{0};
  run_parts(3, 9, [&](std::int64_t) { ++ran; });
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(20);  // ends a child that hangs
    std::atomic<int> here{0};
    // Each part waits for the other, which takes a thread of the child's own.
    run_parts(2, 2, [&](std::int64_t) {
      ++here;
      while (here < 2) std::this_thread::yield();
    });
    ::_exit(here == 2 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(HostPool, WorksInAChildForkedUnderLoad) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer does not know threads that start after a fork";
#endif
  std::atomic<bool> stop{false};
  std::vector<std::thread> load;
  for (int t = 0; t < 2; ++t) {
    load.emplace_back([&] {
      while (!stop) run_parts(3, 6, [](std::int64_t) {});
    });
  }
  int failed = 0;
  for (int i = 0; i < 50 && failed == 0; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);  // ends a child that hangs
      std::atomic<int> here{0};
      run_parts(2, 4, [&](std::int64_t) { ++here; });
      ::_exit(here == 4 ? 0 : 1);
    }
    int status = 0;
    const bool waited = child > 0 && ::waitpid(child, &status, 0) == child;
    failed += waited && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
  }
  stop = true;
  for (std::thread& thread : load) thread.join();
  EXPECT_EQ(failed, 0);
}

std::atomic<int> signals_handled{0};

TEST(HostPool, LeavesSignalsToTheApplication) {
  struct sigaction count{};
  struct sigaction before{};
  count.sa_handler = [](int) { ++signals_handled; };
  ASSERT_EQ(::sigaction(SIGUSR1, &count, &before), 0);
  // The threads start while this one takes the signal: they must not take over its mask. More than any other
  // test asks for, so that some do start here.
  run_parts(12, 24, [](std::int64_t) {});
  sigset_t usr1;
  sigset_t mask;
  sigset_t pending;
  ::sigemptyset(&usr1);
  ::sigaddset(&usr1, SIGUSR1);
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, nullptr, &mask), 0);
  EXPECT_EQ(::sigismember(&mask, SIGUSR1), 0) << "starting threads changed the caller's mask";
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &usr1, &mask), 0);
  ::kill(::getpid(), SIGUSR1);
  run_parts(12, 24, [](std::int64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
  EXPECT_EQ(signals_handled, 0);
  ASSERT_EQ(::sigpending(&pending), 0);
  EXPECT_EQ(::sigismember(&pending, SIGUSR1), 1);
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &mask, nullptr), 0);
  EXPECT_EQ(signals_handled, 1);
  ASSERT_EQ(::sigaction(SIGUSR1, &before, nullptr), 0);
}

TEST(HostPool, DefaultIsAtLeastOneThread) { EXPECT_GE(default_threads(), 1); }

// Run with TYPEWARP_HOST_THREADS set to something wrong (CMakeLists.txt).
TEST(HostEnvironment, DISABLED_WrongThreadsAreRefused) {
  const char* const value = std::getenv("TYPEWARP_HOST_THREADS");
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(test::message_of(default_threads), "typewarp::host: TYPEWARP_HOST_THREADS = " +
                                                   std::string(value) + ": must be a number from 1 to 1024");
  // However small, and unless the caller says how many threads.
  const Plan plan = commit(vector(3, 1, 2, Named::byte));
  const std::array<std::byte, 5> user{};
  std::array<std::byte, 3> packed{};
  EXPECT_THROW(host::pack(user.data(), 1, plan, packed.data(), {0, 3}), InvalidArgument);
  EXPECT_NO_THROW(host::pack(user.data(), 1, plan, packed.data(), {0, 3}, 1));
}

}  // namespace
}  // namespace typewarp::host
