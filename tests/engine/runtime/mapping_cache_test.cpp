// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/cuda/mapping_cache.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

namespace typewarp::gpu {
namespace {

/// A driver that notes what it is asked, and refuses as often as told.
class Driver {
 public:
  void* open(const SharedMemory& memory, int device, std::string& reason) {
    ++attempts;
    if (throws) throw std::runtime_error("open");
    if (refuses > 0) {
      --refuses;
      reason = "refused";
      return nullptr;
    }
    opened.push_back(memory.allocation);
    return reinterpret_cast<void*>(0x1000 * memory.allocation + static_cast<std::uint64_t>(device));
  }
  void close(const Mapping& mapping) { closed.push_back(mapping.key.allocation); }

  int attempts = 0;
  int refuses = 0;
  bool throws = false;
  std::vector<std::uint64_t> opened, closed;
};

using Numbers = std::vector<std::uint64_t>;

class MappingCaches : public testing::Test {
 protected:
  static constexpr std::size_t limit = 3;

  const Mapping* acquire(std::uint64_t allocation, std::uint64_t base, std::uint64_t process = 1,
                         int device = 0) {
    SharedMemory memory{};
    memory.kind = SharedMemory::Kind::ipc;
    memory.process = {process, 0};
    memory.allocation = allocation;
    memory.base = base;
    memory.size = 100;
    return cache.acquire(memory, device, reason);
  }
  void use(std::uint64_t allocation, std::uint64_t base, std::uint64_t process = 1) {
    const Mapping* const mapping = acquire(allocation, base, process);
    ASSERT_NE(mapping, nullptr);
    cache.release(mapping);
  }
  void expect_count(std::int64_t open, std::int64_t held) {
    EXPECT_EQ(cache.count().open, open);
    EXPECT_EQ(cache.count().held, held);
  }

  Driver driver;
  std::string reason;
  MappingCache cache{[this](const SharedMemory& memory, int device, std::string& why) {
                       return driver.open(memory, device, why);
                     },
                     [this](const Mapping& mapping) { driver.close(mapping); }, limit};
};

TEST_F(MappingCaches, OpenOnce) {
  const Mapping* const first = acquire(1, 1000);
  const Mapping* const second = acquire(1, 1000);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first->address, reinterpret_cast<void*>(0x1000));
  expect_count(1, 1);
  cache.release(first);
  expect_count(1, 1);
  cache.release(second);
  expect_count(1, 0);
  EXPECT_EQ(acquire(1, 1000), first);
  expect_count(1, 1);
  cache.release(first);
  EXPECT_EQ(driver.opened, Numbers{1});
  EXPECT_EQ(driver.closed, Numbers{});
}

TEST_F(MappingCaches, TellProcessesAndDevicesApart) {
  const Mapping* const mappings[] = {acquire(1, 1000, 1, 0), acquire(1, 1000, 2, 0), acquire(1, 1000, 1, 1)};
  EXPECT_NE(mappings[0], mappings[1]);
  EXPECT_NE(mappings[0], mappings[2]);
  EXPECT_EQ(mappings[2]->address, reinterpret_cast<void*>(0x1001));
  EXPECT_EQ(driver.opened.size(), 3U);
  for (const Mapping* mapping : mappings) cache.release(mapping);
}

TEST_F(MappingCaches, CloseTheLongestIdleOnesAtTheLimit) {
  for (std::uint64_t allocation = 1; allocation <= 3; ++allocation) use(allocation, 1000 * allocation);
  use(1, 1000);
  EXPECT_EQ(driver.closed, Numbers{});
  use(4, 4000);
  EXPECT_EQ(driver.closed, Numbers{2});
  use(5, 5000);
  EXPECT_EQ(driver.closed, (Numbers{2, 3}));
  expect_count(3, 0);
  use(2, 2000);
  EXPECT_EQ(driver.opened, (Numbers{1, 2, 3, 4, 5, 2}));
}

TEST_F(MappingCaches, HoldMoreThanTheLimitIfTheyMust) {
  std::vector<const Mapping*> held;
  for (std::uint64_t allocation = 1; allocation <= 5; ++allocation) {
    held.push_back(acquire(allocation, 1000 * allocation));
  }
  expect_count(5, 5);
  EXPECT_EQ(driver.closed, Numbers{});
  for (const Mapping* mapping : held) cache.release(mapping);
  EXPECT_EQ(driver.closed, (Numbers{1, 2}));
  expect_count(3, 0);
}

TEST_F(MappingCaches, CloseWhatWasFreedBeforeItsAddressIsMappedAgain) {
  use(1, 1000);
  use(2, 1100);     // behind the first, without overlap
  use(3, 1050, 2);  // of another process
  EXPECT_EQ(driver.closed, Numbers{});
  use(4, 1099);
  EXPECT_EQ(driver.closed, (Numbers{1, 2}));
  EXPECT_EQ(driver.opened, (Numbers{1, 2, 3, 4}));
  expect_count(2, 0);
}

TEST_F(MappingCaches, LeaveWhatIsHeldToItsHolders) {
  const Mapping* const stale = acquire(1, 1000);
  use(2, 1000);
  EXPECT_EQ(driver.closed, Numbers{});
  EXPECT_EQ(stale->address, reinterpret_cast<void*>(0x1000));
  cache.release(stale);
  use(3, 1000);
  EXPECT_EQ(driver.closed, (Numbers{2, 1}));
}

TEST_F(MappingCaches, TryAgainWithoutWhatMayStandInTheWay) {
  use(1, 1000);
  use(2, 2000, 2);
  driver.refuses = 1;
  use(3, 3000);
  EXPECT_EQ(driver.closed, Numbers{1});
  EXPECT_EQ(driver.attempts, 4);
  driver.refuses = 9;
  EXPECT_EQ(acquire(4, 4000, 3), nullptr);  // nothing of that process is open, so no second attempt
  EXPECT_EQ(reason, "refused");
  EXPECT_EQ(driver.attempts, 5);
  expect_count(2, 0);
  driver.refuses = 0;
  use(4, 4000, 3);
}

TEST_F(MappingCaches, ForgetWhatCouldNotBeOpened) {
  driver.throws = true;
  EXPECT_THROW(acquire(1, 1000), std::runtime_error);
  expect_count(0, 0);
  driver.throws = false;
  use(1, 1000);
  expect_count(1, 0);
}

TEST_F(MappingCaches, CloseWhatIsIdleWhenTold) {
  const Mapping* const held = acquire(1, 1000);
  use(2, 2000);
  cache.close_idle();
  EXPECT_EQ(driver.closed, Numbers{2});
  expect_count(1, 1);
  cache.release(held);
  cache.close_idle();
  EXPECT_EQ(driver.closed, (Numbers{2, 1}));
  expect_count(0, 0);
}

TEST_F(MappingCaches, ServeThreads) {
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this, thread] {
      for (std::uint64_t i = 0; i < 2000; ++i) {
        SharedMemory memory{};
        memory.allocation = 1 + (i + thread) % 6;
        memory.base = 1000 * memory.allocation;
        memory.size = 100;
        std::string why;
        const Mapping* const mapping = cache.acquire(memory, 0, why);
        EXPECT_EQ(mapping->address, reinterpret_cast<void*>(0x1000 * memory.allocation));
        cache.release(mapping);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(cache.count().open, std::int64_t{limit});
  cache.close_idle();
  EXPECT_EQ(driver.opened.size(), driver.closed.size());
}

}  // namespace
}  // namespace typewarp::gpu
