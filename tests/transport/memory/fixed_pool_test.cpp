// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/memory/fixed_pool.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace typewarp::transport {
namespace {

TEST(FixedPool, AreAsManyAsFitAndApart) {
  FixedPool chunks(10 * 1024 + 100, 1024);
  EXPECT_EQ(chunks.chunk_bytes(), 1024);
  std::vector<Block> taken;
  while (Block chunk = chunks.take()) taken.push_back(std::move(chunk));
  ASSERT_EQ(taken.size(), 10U);
  EXPECT_EQ(chunks.taken(), 10U);
  for (std::size_t i = 0; i < taken.size(); ++i) std::memset(taken[i].data(), static_cast<int>(i), 1024);
  for (std::size_t i = 0; i < taken.size(); ++i) {
    EXPECT_EQ(taken[i].data()[0], static_cast<std::byte>(i));
    EXPECT_EQ(taken[i].data()[1023], static_cast<std::byte>(i));
  }
  taken.pop_back();
  EXPECT_TRUE(chunks.take());
  taken.clear();
  EXPECT_EQ(chunks.taken(), 0U);
}

TEST(FixedPool, OfMoreThanAllAreOneOfAll) {
  FixedPool chunks(1000, 4096);
  EXPECT_EQ(chunks.chunk_bytes(), 960);
  const Block only = chunks.take();
  EXPECT_TRUE(only);
  EXPECT_FALSE(chunks.take());
}

}  // namespace
}  // namespace typewarp::transport
