// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/persistent.hpp>

#include "engine/calls.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

/// What needs no device: arguments, and moves between host memory.
namespace typewarp {
namespace {

using test::counting;
using test::message_of;
using test::no_stream;

Plan column() { return commit(vector(3, 1, 4, Named::int_)); }

TEST(Persistent, MovesNothingBeforeItIsStarted) {
  const auto matrix = counting(12);
  std::array<std::int32_t, 3> packed{};
  Persistent operation = Persistent::pack_init(matrix.data() + 1, 1, column(), packed.data());
  EXPECT_TRUE(operation.done());
  EXPECT_EQ(packed, (std::array<std::int32_t, 3>{}));
  operation.start(no_stream);
  EXPECT_TRUE(operation.done());
  EXPECT_EQ(packed, (std::array<std::int32_t, 3>{2, 6, 10}));
}

TEST(Persistent, MovesWhatIsThereAtEachStart) {
  auto matrix = counting(12);
  std::array<std::int32_t, 3> packed{};
  Persistent operation = Persistent::pack_init(matrix.data(), 1, column(), packed.data());
  for (std::int32_t round = 0; round < 3; ++round) {
    matrix[4] = round;
    operation.start(no_stream);
    operation.wait();
    EXPECT_EQ(packed, (std::array<std::int32_t, 3>{1, round, 9}));
  }
}

TEST(Persistent, UnpacksARangeAndTouchesNothingElse) {
  std::vector<std::int32_t> matrix(12, -1);
  const std::int32_t packed = 7;
  Persistent operation = Persistent::unpack_init(&packed, matrix.data(), 1, column(), {4, 8});
  operation.start(no_stream);
  EXPECT_EQ(matrix, (std::vector<std::int32_t>{-1, -1, -1, -1, 7, -1, -1, -1, -1, -1, -1, -1}));
}

TEST(Persistent, CopiesLayoutToLayout) {
  const auto matrix = counting(12);
  std::vector<std::int32_t> line(3);
  const Plan row = commit(contiguous(3, Named::int_));
  Persistent whole = Persistent::copy_init(matrix.data(), 1, column(), line.data(), 1, row);
  whole.start(no_stream);
  EXPECT_EQ(line, (std::vector<std::int32_t>{1, 5, 9}));
  Persistent last = Persistent::copy_init(matrix.data() + 1, 1, column(), line.data(), 1, row, {8, 12});
  last.start(no_stream);
  EXPECT_EQ(line, (std::vector<std::int32_t>{1, 5, 10}));
}

TEST(Persistent, StaysWithTheAddressesOfTheLastStart) {
  const auto matrix = counting(12);
  std::array<std::int32_t, 3> first{};
  std::array<std::int32_t, 3> second{};
  Persistent operation = Persistent::pack_init(matrix.data(), 1, column(), first.data());
  operation.start(matrix.data() + 1, second.data(), no_stream);
  EXPECT_EQ(first, (std::array<std::int32_t, 3>{}));
  EXPECT_EQ(second, (std::array<std::int32_t, 3>{2, 6, 10}));
  second = {};
  operation.start(no_stream);
  EXPECT_EQ(first, (std::array<std::int32_t, 3>{}));
  EXPECT_EQ(second, (std::array<std::int32_t, 3>{2, 6, 10}));
}

TEST(Persistent, KeepsItsPlanAndMoves) {
  const auto matrix = counting(12);
  std::array<std::int32_t, 3> packed{};
  std::optional<Plan> plan = column();
  Persistent first = Persistent::pack_init(matrix.data(), 1, *plan, packed.data());
  plan.reset();
  Persistent second = std::move(first);
  second.start(no_stream);
  EXPECT_EQ(packed, (std::array<std::int32_t, 3>{1, 5, 9}));
  packed = {};
  second = Persistent::pack_init(matrix.data() + 2, 1, column(), packed.data());
  second.start(no_stream);
  EXPECT_EQ(packed, (std::array<std::int32_t, 3>{3, 7, 11}));
}

void expect_nothing(Persistent operation) {
  EXPECT_NO_THROW(operation.start(no_stream));
  EXPECT_NO_THROW(operation.start(nullptr, nullptr, no_stream));
  EXPECT_TRUE(operation.done());
  EXPECT_NO_THROW(operation.wait());
}

TEST(Persistent, MovesNothingForNothing) {
  const Plan empty = commit(contiguous(0, Named::int_));
  expect_nothing(Persistent::pack_init(nullptr, 0, column(), nullptr));
  expect_nothing(Persistent::unpack_init(nullptr, nullptr, 5, empty));
  expect_nothing(Persistent::pack_init(nullptr, 1, column(), nullptr, {4, 4}));
  expect_nothing(Persistent::copy_init(nullptr, 0, column(), nullptr, 7, empty));
}

TEST(Persistent, NamesWhatIsWrong) {
  const Plan plan = column();
  std::array<std::int32_t, 12> user{};
  std::array<std::int32_t, 3> packed{};
  EXPECT_EQ(message_of([&] { Persistent::pack_init(user.data(), -3, plan, packed.data()); }),
            "typewarp::Persistent::pack_init: count = -3: must not be negative");
  EXPECT_EQ(message_of([&] { Persistent::pack_init(user.data(), 1, plan, packed.data(), {0, 13}); }),
            "typewarp::Persistent::pack_init: range = [0, 13): must lie in [0, 12)");
  EXPECT_EQ(message_of([&] { Persistent::pack_init(user.data(), 1, plan, nullptr); }),
            "typewarp::Persistent::pack_init: packed = null: must not be null");
  EXPECT_EQ(message_of([&] { Persistent::unpack_init(packed.data(), user.data(), -1, plan, {0, 0}); }),
            "typewarp::Persistent::unpack_init: count = -1: must not be negative");
  EXPECT_EQ(message_of([&] { Persistent::unpack_init(nullptr, user.data(), 1, plan); }),
            "typewarp::Persistent::unpack_init: packed = null: must not be null");
  EXPECT_EQ(
      message_of([&] { Persistent::copy_init(user.data(), 1, plan, user.data(), 2, plan); }),
      "typewarp::Persistent::copy_init: destination_count = 2: must make as many bytes as the source's 12, "
      "not 24");
  EXPECT_EQ(message_of([&] { Persistent::copy_init(user.data(), -1, plan, user.data(), 1, plan, {0, 0}); }),
            "typewarp::Persistent::copy_init: source_count = -1: must not be negative");
  EXPECT_EQ(message_of([&] { Persistent::copy_init(user.data(), 1, plan, user.data(), 2, plan, {0, 24}); }),
            "typewarp::Persistent::copy_init: range = [0, 24): must lie in [0, 12)");
}

TEST(Persistent, ChangesNothingAtAStartThatIsWrong) {
  const auto matrix = counting(12);
  std::array<std::int32_t, 3> packed{};
  Persistent packing = Persistent::pack_init(matrix.data(), 1, column(), packed.data());
  EXPECT_EQ(message_of([&] { packing.start(matrix.data() + 1, nullptr, no_stream); }),
            "typewarp::Persistent::start: destination = null: must not be null");
  EXPECT_EQ(packed, (std::array<std::int32_t, 3>{}));
  packing.start(no_stream);
  EXPECT_EQ(packed, (std::array<std::int32_t, 3>{1, 5, 9}));
  std::array<std::int32_t, 12> user{};
  Persistent unpacking = Persistent::unpack_init(packed.data(), user.data(), 1, column());
  EXPECT_EQ(message_of([&] { unpacking.start(nullptr, user.data(), no_stream); }),
            "typewarp::Persistent::start: source = null: must not be null");
}

}  // namespace
}  // namespace typewarp
