// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/tiles.hpp"
#include "engine/device/transposed_shape.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

/// The kernels' index functions, run on the host over host memory.
namespace typewarp::gpu {
namespace {

using test::Random;
using test::TransposedShape;

constexpr std::byte untouched{0xa5};

std::vector<std::byte> noise(Random& random, std::int64_t count) {
  std::vector<std::byte> result(static_cast<std::size_t>(count));
  for (std::byte& byte : result) byte = static_cast<std::byte>(random.range(0, 255));
  return result;
}

Place located(const Tiles& tiles, const TileOrder& order, std::uint32_t number) {
  Place place[1];
  tiles.locate(order, number, 0, nullptr, place);
  return place[0];
}

/// One tile as a thread block moves it: in through one order, out through the other.
void move_tile(const Tiles& tiles, const Tile& tile, const TilePolicy& policy, Direction direction) {
  const auto word = static_cast<std::size_t>(policy.word);
  const auto fold = static_cast<std::size_t>(policy.fold);
  const auto piece = static_cast<std::size_t>(policy.piece());
  const auto room = static_cast<std::size_t>(policy.room());
  const auto capacity = static_cast<std::uint32_t>(policy.capacity());
  std::vector<std::byte> shared(room * fold * piece);
  std::vector<bool> filled(room);
  std::byte* const memory = tiles.user + tile.memory;
  std::byte* const packed = tiles.packed + std::int64_t{tile.packed} * policy.piece();
  const bool pack = direction == Direction::pack;
  const TileOrder& from = pack ? tiles.by_memory : tiles.by_packed;
  const TileOrder& to = pack ? tiles.by_packed : tiles.by_memory;
  const std::int64_t from_pieces = pack ? tiles.user_pieces : tiles.packed_pieces;
  const std::int64_t to_pieces = pack ? tiles.packed_pieces : tiles.user_pieces;
  for (std::uint32_t number = 0; number < capacity; ++number) {
    if (!tiles.holds(tile, from, number)) continue;
    const Place place = located(tiles, from, number);
    ASSERT_LT(place.cell, room);
    ASSERT_FALSE(filled[place.cell]) << "two cells in one place";
    filled[place.cell] = true;
    const std::byte* base = (pack ? memory : packed) + std::int64_t{place.offset} * policy.piece();
    for (std::size_t j = 0; j < fold; ++j) {
      for (std::size_t i = 0; i < fold; ++i) {
        std::memcpy(&shared[(place.cell * fold + i) * piece + j * word],
                    base + static_cast<std::int64_t>(j) * from_pieces + i * word, word);
      }
    }
  }
  for (std::uint32_t number = 0; number < capacity; ++number) {
    if (!tiles.holds(tile, to, number)) continue;
    const Place place = located(tiles, to, number);
    ASSERT_TRUE(place.cell < room && filled[place.cell]) << "stored, but never loaded";
    std::byte* base = (pack ? packed : memory) + std::int64_t{place.offset} * policy.piece();
    for (std::size_t j = 0; j < fold; ++j) {
      std::memcpy(base + static_cast<std::int64_t>(j) * to_pieces, &shared[(place.cell * fold + j) * piece],
                  piece);
    }
  }
}

void move_edge(const Edge& edge, Direction direction) {
  if (edge.bytes == 0) return;
  std::byte* const to = direction == Direction::pack ? edge.packed : edge.user;
  std::memcpy(to, direction == Direction::pack ? edge.user : edge.packed,
              static_cast<std::size_t>(edge.bytes));
}

void move_all(const Transposition& transposition, const TransposedMove& move, const TilePolicy& policy) {
  const Tiles all = tiles(transposition, move, policy);
  for (std::uint32_t i = 0; i < all.count; ++i) move_tile(all, all.tile(i), policy, move.direction);
  move_edge(all.head, move.direction);
  move_edge(all.tail, move.direction);
}

/// Moves the range both ways and compares every byte of both sides with a loop over the definition.
void check(const TransposedShape& shape, const Transposition& transposition, const TilePolicy& policy,
           ByteRange range, Random& random) {
  const auto at = [&](std::int64_t p) { return static_cast<std::size_t>(shape.offset(p)); };
  auto user = noise(random, shape.extent);
  std::vector<std::byte> packed(static_cast<std::size_t>(shape.size), untouched);
  TransposedMove move{Direction::pack, user.data() + shape.origin, packed.data(), range};
  auto expected = packed;
  for (std::int64_t p = range.begin; p < range.end; ++p) expected[static_cast<std::size_t>(p)] = user[at(p)];
  move_all(transposition, move, policy);
  ASSERT_TRUE(packed == expected) << "packed";

  packed = noise(random, shape.size);
  expected = user;
  for (std::int64_t p = range.begin; p < range.end; ++p)
    expected[at(p)] = packed[static_cast<std::size_t>(p)];
  move.packed = packed.data();
  move.direction = Direction::unpack;
  move_all(transposition, move, policy);
  ASSERT_TRUE(user == expected) << "unpacked";
}

/// Whatever the choice, the tiles must be right: the transposition is written down without asking.
Transposition written(const TransposedShape& shape, int word) {
  Transposition result;
  result.word = word;
  std::int64_t words = shape.shape.levels[0].count / word;
  result.axes.add({words, 1, word});
  for (std::size_t i = 1; i < shape.shape.depth; ++i) {
    result.axes.add({shape.shape.levels[i].count, words, shape.shape.levels[i].stride});
    words *= shape.shape.levels[i].count;
  }
  return result;
}

TilePolicy small(int word, int fold, int threads, int cells) { return {word, fold, threads, cells, 1}; }

TEST(Tiles, MoveEveryByteOfARangeAndNoOther) {
  int split = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int word = 1 << random.range(0, 4);
    const TransposedShape shape = test::random_transposed(random, word, 6000);
    const Transposition transposition = written(shape, word);
    for (const TilePolicy& policy : {small(word, 1, 32, 2), small(word, 1, 64, 8)}) {
      for (const ByteRange range : test::ranges(random, shape.size)) {
        SCOPED_TRACE(testing::Message() << "[" << range.begin << ", " << range.end << ") of " << shape.size);
        check(shape, transposition, policy, range, random);
        if (testing::Test::HasFatalFailure()) return;
        split += range.end - range.begin > policy.capacity() * word ? 1 : 0;
      }
    }
  }
  EXPECT_GT(split, 500);
}

TEST(Tiles, OfThePoliciesInUse) {
  Random random(7);
  const std::vector<TilePolicy> policies{TilesOf16::value, TilesOf8::value, TilesOf4::value, TilesOf2::value,
                                         TilesOf1::value};
  for (const TilePolicy& policy : policies) {
    SCOPED_TRACE(policy.word);
    for (const auto& [columns, rows] : {std::pair{100, 130}, {3, 5000}, {5000, 3}, {64, 64}, {97, 33}}) {
      const TransposedShape shape = test::matrix(columns, rows, policy.word, policy.word);
      for (const ByteRange range : test::ranges(random, shape.size)) {
        check(shape, written(shape, policy.word), policy, range, random);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Tiles, OfFoldedCells) {
  int folded = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int word = 1 << random.range(0, 2);
    const TilePolicy policy = word == 1   ? FoldedTilesOf1::value
                              : word == 2 ? FoldedTilesOf2::value
                                          : FoldedTilesOf4::value;
    const int fold = policy.fold;
    const TransposedShape shape = test::random_transposed(random, word, 6000);
    const Transposition transposition = written(shape, word);
    auto user = std::vector<std::byte>(static_cast<std::size_t>(shape.extent));
    auto packed = std::vector<std::byte>(static_cast<std::size_t>(shape.size));
    for (const ByteRange range : test::ranges(random, shape.size)) {
      const TransposedMove move{Direction::pack, user.data() + shape.origin, packed.data(), range};
      const ByteRange inner = foldable(transposition, move, fold);
      if (inner.begin == inner.end) continue;
      ++folded;
      ASSERT_TRUE(range.begin <= inner.begin && inner.end <= range.end);
      check(shape, transposition, small(word, fold, 32, 2), inner, random);
      check(shape, transposition, policy, inner, random);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GT(folded, 50);
}

TEST(Tiles, FoldOnlyWhereWholePiecesLieTogether) {
  const TransposedShape shape = test::matrix(32, 16, 1, 1);
  const Transposition transposition = written(shape, 1);
  alignas(16) std::byte memory[1024];
  TransposedMove move{Direction::pack, memory, memory + 512, {0, 512}};
  EXPECT_EQ(foldable(transposition, move, 4), (ByteRange{0, 512}));
  move.range = {1, 511};
  EXPECT_EQ(foldable(transposition, move, 4), (ByteRange{128, 384}));
  move.range = {1, 255};
  EXPECT_EQ(foldable(transposition, move, 4), (ByteRange{}));
  move.range = {0, 512};
  move.user += 2;
  EXPECT_EQ(foldable(transposition, move, 4), (ByteRange{}));
  move.user -= 2;
  move.packed += 1;
  EXPECT_EQ(foldable(transposition, move, 4), (ByteRange{}));
  move.packed -= 1;
  EXPECT_EQ(foldable(written(test::matrix(30, 16, 1, 1), 1), move, 4), (ByteRange{}));
  EXPECT_EQ(foldable(written(test::matrix(32, 18, 1, 1), 1), move, 4), (ByteRange{}));
  EXPECT_EQ(foldable(written(test::matrix(32, 16, 2, 1), 1), move, 4), (ByteRange{}));
}

/// Bytes in a row that a tile holds, and accesses that meet in a bank, for large matrices.
void expect_good_tiles(const TransposedShape& shape, const TilePolicy& policy) {
  constexpr std::uint32_t line = 128;
  alignas(16) std::byte memory[16];
  const TransposedMove move{Direction::pack, memory, memory, {0, shape.size}};
  const Tiles all = tiles(written(shape, policy.word), move, policy);
  for (const TileOrder* order : {&all.by_memory, &all.by_packed}) {
    const auto piece = static_cast<std::uint32_t>(policy.piece());
    std::uint32_t row = piece * order->digits[0].extent.divisor;
    const bool run = all.by_memory.digits[0].packed == all.by_packed.digits[0].packed;
    if (run) row *= order->digits[1].extent.divisor;
    EXPECT_GE(row, line);
    const std::uint32_t width = std::max(4U, piece);
    std::set<std::uint32_t> banks, words;
    for (std::uint32_t number = 0; number < line / width; ++number) {
      const std::uint32_t word = located(all, *order, number).cell * piece / width;
      words.insert(word);
      banks.insert(word % (line / width));
    }
    EXPECT_EQ(banks.size(), words.size());
  }
  EXPECT_GE(2 * all.volume, static_cast<std::uint32_t>(policy.capacity()));
}

TEST(Tiles, AreWideOnBothSidesAndMeetInNoBank) {
  for (const TilePolicy& policy : {TilesOf16::value, TilesOf8::value, TilesOf4::value, FoldedTilesOf4::value,
                                   FoldedTilesOf2::value, FoldedTilesOf1::value}) {
    SCOPED_TRACE(testing::Message() << policy.word << " B, " << policy.fold << " to a piece");
    expect_good_tiles(test::matrix(8192, 8192, policy.word, policy.word), policy);
    expect_good_tiles(test::matrix(1000, 3000, policy.word, policy.word), policy);
  }
  for (const int words : {2, 3}) {
    expect_good_tiles(test::matrix(1000, 3000, 16 * words, 16), TilesOf16::value);
    expect_good_tiles(test::matrix(1000, 3000, 8 * words, 8), TilesOf8::value);
  }
}

TEST(Tiles, GoThroughRowsFromTheBorderOfALine) {
  constexpr std::uintptr_t line = 128;
  const TilePolicy& policy = TilesOf8::value;
  const TransposedShape shape = test::matrix(8193, 3001, 8, 8);
  alignas(line) std::byte memory[2 * line];
  for (int shift = 0; shift < 128; shift += 8) {
    const TransposedMove move{Direction::pack, memory + shift, memory + shift, {0, shape.size}};
    const Tiles all = tiles(written(shape, 8), move, policy);
    for (const auto& [order, base] : {std::pair{&all.by_memory, all.user}, {&all.by_packed, all.packed}}) {
      const std::uint32_t row = order->digits[0].extent.divisor;
      for (std::uint32_t number = 0; number < all.volume; number += row) {
        const std::int64_t offset = located(all, *order, number).offset;
        EXPECT_EQ((reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(8 * offset)) % line,
                  0);
      }
    }
  }
}

}  // namespace
}  // namespace typewarp::gpu
