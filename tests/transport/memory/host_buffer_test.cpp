// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/memory/host_buffer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

namespace typewarp::transport {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;

TEST(HostBuffer, IsAlignedAndWritableToTheLastByte) {
  for (const std::int64_t bytes : {1L, 63L, 4096L, 4097L, 3 * mebibyte + 1}) {
    const HostBuffer buffer(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U);
    buffer.data()[0] = std::byte{1};
    buffer.data()[bytes - 1] = std::byte{2};
  }
}

TEST(HostBuffer, IsReused) {
  const std::byte* first = HostBuffer(5 * mebibyte).data();
  const HostBuffer again(5 * mebibyte);
  EXPECT_EQ(again.data(), first);
  const HostBuffer other(5 * mebibyte);
  EXPECT_NE(other.data(), first);
}

TEST(HostBuffer, MovesItsMemory) {
  HostBuffer first(100);
  std::byte* data = first.data();
  HostBuffer second = std::move(first);
  EXPECT_EQ(first.data(), nullptr);  // NOLINT(bugprone-use-after-move): empty is what a moved-from buffer is
  EXPECT_EQ(second.data(), data);
  HostBuffer third;
  third = std::move(second);
  EXPECT_EQ(third.data(), data);
}

TEST(HostBuffer, PoolKeepsWhatItMayAndFreesTheRest) {
  {
    std::vector<HostBuffer> many;
    for (int i = 0; i < 6; ++i) many.emplace_back(64 * mebibyte);
  }
  EXPECT_LE(pooled_bytes(), pool_limit);
  EXPECT_GE(pooled_bytes(), pool_limit / 2);
  const std::size_t before = pooled_bytes();
  { const HostBuffer huge(static_cast<std::int64_t>(pool_limit) + 1); }
  EXPECT_EQ(pooled_bytes(), before);
}

TEST(HostBuffer, IsNobodyElsesMeanwhile) {
  std::vector<std::thread> threads;
  std::vector<int> clashes(4, 0);
  for (std::size_t t = 0; t < clashes.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        const HostBuffer buffer(5000);
        buffer.data()[0] = static_cast<std::byte>(t);
        std::this_thread::yield();
        if (buffer.data()[0] != static_cast<std::byte>(t)) ++clashes[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(clashes, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace typewarp::transport
