// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/of_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace typewarp {
namespace {

std::atomic<int> alive = 0;

struct Counted {
  Counted() { ++alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() {
    value = -1;
    --alive;
  }
  int value = 0;
};
using Own = OfThread<Counted>;

TEST(OfThread, IsTheSameAtEachUseAndAnotherInEachThread) {
  EXPECT_EQ(OfThread<int>::found(), nullptr);
  int& own = OfThread<int>::get();
  EXPECT_EQ(&OfThread<int>::get(), &own);
  EXPECT_EQ(OfThread<int>::found(), &own);
  std::thread([&] { EXPECT_NE(&OfThread<int>::get(), &own); }).join();
}

TEST(OfThread, EndsWithItsThread) {
  std::thread([] {
    Own::get();
    EXPECT_EQ(alive, 1);
  }).join();
  EXPECT_EQ(alive, 0);
}

int seen = 0;

struct Later {
  ~Later() {
    seen = Own::get().value;  // 0 of a new one, not -1
    Own::get().value = 7;
    seen += Own::get().value;
    delete Own::found();  // nobody else will
  }
};

TEST(OfThread, IsMadeAnewWhereTheThreadsObjectsHaveEnded) {
  std::thread([] {
    thread_local const Later later;  // made before the thread's own, so it ends after it
    static_cast<void>(&later);
    Own::get().value = 5;
  }).join();
  EXPECT_EQ(seen, 7);
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace typewarp
