// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/host.hpp>

#include "engine/calls.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <thread>
#include <vector>

namespace typewarp {
namespace {

using test::message_of;

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

std::vector<std::byte> counting_bytes(std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 131 % 251);
  return data;
}

class Host : public testing::Test {
 protected:
  const Plan plan_ = commit(vector(4, 1, 2, Named::double_));
  std::vector<std::byte> user_ = counting_bytes(1024);
  std::vector<std::byte> packed_ = std::vector<std::byte>(1024);
};

TEST_F(Host, RefusesNegativeCount) {
  EXPECT_EQ(message_of([&] { host::pack(user_.data(), -1, plan_, packed_.data(), {0, 0}); }),
            "typewarp::host::pack: count = -1: must not be negative");
  EXPECT_EQ(message_of([&] { host::unpack(packed_.data(), user_.data(), -2, plan_, {0, 0}); }),
            "typewarp::host::unpack: count = -2: must not be negative");
  EXPECT_EQ(message_of([&] { host::copy(user_.data(), 1, plan_, packed_.data(), -3, plan_, {0, 0}); }),
            "typewarp::host::copy: destination_count = -3: must not be negative");
  EXPECT_EQ(message_of([&] { host::copy(user_.data(), -4, plan_, packed_.data(), 1, plan_, {0, 0}); }),
            "typewarp::host::copy: source_count = -4: must not be negative");
}

TEST_F(Host, RefusesRangesOutsideTheStream) {
  for (const ByteRange range : {ByteRange{-1, 5}, ByteRange{0, 65}, ByteRange{9, 8}, ByteRange{65, 65}}) {
    const std::string text = "range = [" + std::to_string(range.begin) + ", " + std::to_string(range.end) +
                             "): must lie in [0, 64)";
    EXPECT_EQ(message_of([&] { host::pack(user_.data(), 2, plan_, packed_.data(), range); }),
              "typewarp::host::pack: " + text);
    EXPECT_EQ(message_of([&] { host::unpack(packed_.data(), user_.data(), 2, plan_, range); }),
              "typewarp::host::unpack: " + text);
    EXPECT_EQ(message_of([&] { host::copy(user_.data(), 2, plan_, packed_.data(), 3, plan_, range); }),
              "typewarp::host::copy: " + text);
  }
}

TEST_F(Host, RefusesNullPackedBytesUnlessTheRangeIsEmpty) {
  EXPECT_EQ(message_of([&] { host::pack(user_.data(), 1, plan_, nullptr, {0, 1}); }),
            "typewarp::host::pack: packed = null: must not be null");
  EXPECT_EQ(message_of([&] { host::unpack(nullptr, user_.data(), 1, plan_, {3, 4}); }),
            "typewarp::host::unpack: packed = null: must not be null");
  EXPECT_NO_THROW(host::pack(nullptr, 1, plan_, nullptr, {7, 7}));
  EXPECT_NO_THROW(host::unpack(nullptr, nullptr, 0, plan_, {0, 0}));
  EXPECT_NO_THROW(host::copy(nullptr, 0, plan_, nullptr, 0, plan_, {0, 0}));
}

TEST_F(Host, RefusesNegativeThreads) {
  EXPECT_EQ(message_of([&] { host::pack(user_.data(), 1, plan_, packed_.data(), {0, 32}, -1); }),
            "typewarp::host::pack: threads = -1: must not be negative");
}

TEST_F(Host, RefusesWithoutTouchingAnything) {
  const std::vector<std::byte> before = packed_;
  EXPECT_THROW(host::pack(user_.data(), 2, plan_, packed_.data(), {0, 65}), InvalidArgument);
  EXPECT_EQ(packed_, before);
}

TEST_F(Host, EmptyTypesMoveNothing) {
  const Plan empty = commit(contiguous(0, Named::double_));
  EXPECT_NO_THROW(host::pack(user_.data(), 5, empty, nullptr, {0, 0}));
  EXPECT_THROW(host::pack(user_.data(), 5, empty, packed_.data(), {0, 1}), InvalidArgument);
}

TEST_F(Host, CountsBeyondAllMemoryTakeRangesAtTheirStart) {
  host::pack(user_.data(), huge, plan_, packed_.data(), {8, 48});
  std::vector<std::byte> whole(64);
  host::pack(user_.data(), 2, plan_, whole.data(), {0, 64});
  EXPECT_EQ(std::memcmp(whole.data() + 8, packed_.data(), 40), 0);
}

/// A type of which the middle, far beyond 2^31 bytes on both sides, lies where the test has memory.
TEST_F(Host, RangesFarBeyond32Bits) {
  constexpr std::int64_t far = std::int64_t{3} << 32;
  const Plan sparse = commit(hvector(far, 16, 64, Named::byte));
  constexpr std::int64_t first_block = std::int64_t{5} << 30;
  // The address that makes block `first_block` start at user_; integer arithmetic, since nothing lies there.
  auto* const base = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(user_.data()) -
                                                  static_cast<std::uintptr_t>(first_block * 64));
  const ByteRange range{first_block * 16 + 5, (first_block + 10) * 16 + 3};
  host::pack(base, 1, sparse, packed_.data(), range);
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    const std::int64_t at = (i / 16 - first_block) * 64 + i % 16;
    ASSERT_EQ(packed_[static_cast<std::size_t>(i - range.begin)], user_[static_cast<std::size_t>(at)]) << i;
  }
}

TEST_F(Host, DefaultThreadsMoveLargeData) {
  const std::int64_t blocks = 1 << 18;
  const Plan plan = commit(vector(blocks, 3, 4, Named::float_));
  std::vector<std::byte> source = counting_bytes(static_cast<std::size_t>(blocks) * 16);
  std::vector<std::byte> one(static_cast<std::size_t>(plan.size()));
  std::vector<std::byte> several(one.size());
  host::pack(source.data(), 1, plan, one.data(), {0, plan.size()}, 1);
  host::pack(source.data(), 1, plan, several.data(), {0, plan.size()});
  EXPECT_EQ(one, several);
  std::vector<std::byte> back(source.size());
  host::unpack(one.data(), back.data(), 1, plan, {0, plan.size()}, 5);
  std::vector<std::byte> again(one.size());
  host::pack(back.data(), 1, plan, again.data(), {0, plan.size()}, 3);
  EXPECT_EQ(one, again);
}

TEST_F(Host, ManyThreadsCallAtOnce) {
  const std::int64_t blocks = 1 << 17;
  const Plan plan = commit(vector(blocks, 3, 4, Named::float_));
  const std::vector<std::byte> source = counting_bytes(static_cast<std::size_t>(blocks) * 16);
  std::vector<std::byte> expected(static_cast<std::size_t>(plan.size()));
  host::pack(source.data(), 1, plan, expected.data(), {0, plan.size()}, 1);
  std::vector<std::thread> callers;
  std::vector<int> right(6, 0);
  for (int& ok : right) {
    callers.emplace_back([&] {
      for (int round = 0; round < 10; ++round) {
        std::vector<std::byte> packed(expected.size());
        host::pack(source.data(), 1, plan, packed.data(), {0, plan.size()}, 3);
        ok += packed == expected ? 1 : 0;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(right, std::vector<int>(6, 10));
}

TEST_F(Host, FirstUseOfAPlanFromManyThreads) {
  for (int round = 0; round < 20; ++round) {
    const Plan fresh = commit(indexed({1, 3, 2}, {0, 5, 20 + round}, Named::int_));
    std::vector<std::vector<std::byte>> packed(
        4, std::vector<std::byte>(static_cast<std::size_t>(fresh.size())));
    std::vector<std::thread> callers;
    for (auto& mine : packed) {
      callers.emplace_back([&] { host::pack(user_.data(), 1, fresh, mine.data(), {0, fresh.size()}); });
    }
    for (std::thread& caller : callers) caller.join();
    for (const auto& mine : packed) EXPECT_EQ(mine, packed[0]);
  }
}

TEST_F(Host, AbsoluteAddressesNeedNoBuffer) {
  const Plan plan =
      commit(hindexed({2, 1},
                      {static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(user_.data() + 40)),
                       static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(user_.data()))},
                      Named::double_));
  host::pack(nullptr, 1, plan, packed_.data(), {0, 24});
  EXPECT_EQ(std::memcmp(packed_.data(), user_.data() + 40, 16), 0);
  EXPECT_EQ(std::memcmp(packed_.data() + 16, user_.data(), 8), 0);
}

}  // namespace
}  // namespace typewarp
