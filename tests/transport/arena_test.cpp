// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/arena.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace typewarp::transport {
namespace {

constexpr std::int64_t unit = Arena::alignment;

TEST(Arena, GivesRoomsOfAnyLengthThatLieApart) {
  std::vector<std::byte> memory(10 * unit);
  Arena arena(memory.data(), std::ssize(memory));
  const Room first = arena.take(1);
  const Room second = arena.take(2 * unit + 1);
  const Room third = arena.take(6 * unit);
  ASSERT_TRUE(first && second && third);
  EXPECT_EQ(first.place(), 0);
  EXPECT_EQ(second.place(), unit);
  EXPECT_EQ(third.place(), 4 * unit);
  EXPECT_EQ(third.data(), memory.data() + third.place());
  EXPECT_FALSE(arena.take(1));
  EXPECT_EQ(arena.rooms(), 3U);
}

TEST(Arena, OfWhatIsNoMultipleHasNoRoomBeyondItsEnd) {
  std::vector<std::byte> memory(2 * unit + 100);
  Arena arena(memory.data(), std::ssize(memory));
  EXPECT_FALSE(arena.take(2 * unit + 1));
  EXPECT_TRUE(arena.take(2 * unit));
}

TEST(Arena, JoinsWhatComesBackWithTheGapsBesideIt) {
  std::vector<std::byte> memory(4 * unit);
  const std::vector<std::vector<std::size_t>> orders{
      {0, 1, 2, 3}, {3, 2, 1, 0}, {0, 2, 1, 3}, {1, 3, 0, 2}, {2, 0, 3, 1}};
  for (const std::vector<std::size_t>& order : orders) {
    Arena arena(memory.data(), std::ssize(memory));
    std::vector<Room> rooms;
    for (int i = 0; i < 4; ++i) rooms.push_back(arena.take(unit));
    for (const std::size_t i : order) rooms[i] = Room();
    EXPECT_EQ(arena.rooms(), 0U);
    EXPECT_TRUE(arena.take(4 * unit));
  }
}

TEST(Arena, TakesAGapBetweenOthersAgain) {
  std::vector<std::byte> memory(4 * unit);
  Arena arena(memory.data(), std::ssize(memory));
  const Room before = arena.take(unit);
  Room between = arena.take(2 * unit);
  const Room behind = arena.take(unit);
  between = Room();
  EXPECT_FALSE(arena.take(3 * unit));
  const Room again = arena.take(2 * unit);
  ASSERT_TRUE(again);
  EXPECT_EQ(again.place(), unit);
}

TEST(Arena, MovesRooms) {
  std::vector<std::byte> memory(2 * unit);
  Arena arena(memory.data(), std::ssize(memory));
  Room one = arena.take(unit);
  Room other = arena.take(unit);
  other = std::move(one);
  EXPECT_EQ(arena.rooms(), 1U);
  EXPECT_EQ(other.place(), 0);
  EXPECT_TRUE(arena.take(unit));
}

// Each byte belongs to one room at the most, and all come back.
TEST(Arena, KeepsRandomRoomsApart) {
  constexpr std::int64_t units = 64;
  std::vector<std::byte> memory(units * unit);
  Arena arena(memory.data(), std::ssize(memory));
  std::mt19937 random(1);
  struct Taken {
    Room room;
    std::int64_t bytes;
    std::byte mark;
  };
  std::vector<Taken> taken;
  for (int step = 0; step < 20'000; ++step) {
    const std::int64_t bytes = 1 + static_cast<std::int64_t>(random() % (8 * unit));
    if (random() % 2 == 0) {
      Room room = arena.take(bytes);
      if (!room) continue;
      const auto mark = static_cast<std::byte>(step);
      std::memset(room.data(), step & 255, static_cast<std::size_t>(bytes));
      taken.push_back({std::move(room), bytes, mark});
    } else if (!taken.empty()) {
      const std::size_t which = random() % taken.size();
      const Taken& one = taken[which];
      for (std::int64_t i = 0; i < one.bytes; ++i) ASSERT_EQ(one.room.data()[i], one.mark) << step;
      taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }
  taken.clear();
  EXPECT_EQ(arena.rooms(), 0U);
  EXPECT_TRUE(arena.take(units * unit));
}

}  // namespace
}  // namespace typewarp::transport
