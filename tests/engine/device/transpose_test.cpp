// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/memory_kinds.hpp"
#include "engine/device/transposed_shape.hpp"
#include "support/environment.hpp"

namespace typewarp::test {
namespace {

using gpu::Direction;
using gpu::Level;
using gpu::Shape;
using gpu::Strided;
using gpu::transposition;

Strided strided(const std::vector<Level>& levels) {
  Strided shape;
  for (const Level& level : levels) shape.levels[shape.depth++] = level;
  return shape;
}

constexpr std::int64_t plenty = std::int64_t{1} << 30;

bool pays(const Strided& levels, std::int64_t bytes) {
  Shape shape;
  shape.strided = levels;
  return gpu::tiles_pay(shape, bytes);
}

bool chosen(const std::vector<Level>& levels, int word) {
  return pays(strided(levels), plenty) && transposition(strided(levels), word).has_value();
}

TEST(Transposition, IsChosenForTransposedMatrices) {
  for (const int word : {1, 2, 4, 8, 16}) {
    EXPECT_TRUE(chosen({{word, 1}, {1000, 1000 * word}, {1000, word}}, word)) << word;
    EXPECT_TRUE(chosen({{word, 1}, {1000, -1200 * word}, {1000, -word}}, word)) << word;
  }
  EXPECT_TRUE(chosen({{32, 1}, {1000, 32000}, {1000, 32}}, 16));
  EXPECT_TRUE(chosen({{48, 1}, {1000, 48000}, {1000, 48}}, 16));
  EXPECT_TRUE(chosen({{8, 1}, {100000, 24}, {3, 8}}, 8));
  EXPECT_TRUE(chosen({{8, 1}, {100, 80000}, {100, 800}, {100, 8}}, 8));
  EXPECT_TRUE(chosen({{8, 1}, {100, 800}, {100, 8}, {100, 80000}}, 8));
}

TEST(Transposition, IsNotChosenWhereTilesCannotPay) {
  EXPECT_FALSE(chosen({{8, 1}, {1000, 64}}, 8));
  EXPECT_FALSE(chosen({{8, 1}, {1000, 16}, {1000, 32000}}, 8));
  EXPECT_FALSE(chosen({{64, 1}, {1000, 64000}, {1000, 64}}, 16)) << "runs of whole segments";
  EXPECT_FALSE(chosen({{8, 1}, {1000, 4096000}, {1000, 4096}}, 8)) << "no two words in one segment";
  EXPECT_FALSE(chosen({{8, 1}, {3, 8000000}, {1000000, 8}}, 8)) << "a warp shares segments";
  EXPECT_FALSE(chosen({{8, 1}, {1000, 8000}, {1000, 0}}, 8)) << "one place again and again";
  EXPECT_FALSE(chosen({{8, 1}, {1000, 8000}, {1000, 4}}, 4)) << "runs that overlap";
}

TEST(Transposition, IsNotChosenForFewBytes) {
  const Strided shape = strided({{8, 1}, {1000, 8000}, {1000, 8}});
  EXPECT_TRUE(pays(shape, 8000000));
  EXPECT_FALSE(pays(shape, 8000));
}

TEST(Transposition, IsNotChosenBeyond31Bits) {
  const std::int64_t many = std::int64_t{1} << 16;
  EXPECT_TRUE(chosen({{8, 1}, {many, 8 * many}, {many / 2 - 1, 8}}, 8));
  EXPECT_FALSE(chosen({{8, 1}, {many, 8 * many}, {many / 2, 8}}, 8));
  EXPECT_FALSE(chosen({{8, 1}, {1000, std::int64_t{1} << 33}, {1000, 8}}, 8));
}

TEST(Transposition, HasTwoAxes) {
  EXPECT_FALSE(transposition(strided({{1 << 20, 1}}), 16));
  EXPECT_FALSE(transposition(strided({{8, 1}, {1000, 64}}), 8)) << "runs of one word are no axis";
  EXPECT_TRUE(transposition(strided({{16, 1}, {1000, 64}}), 8)) << "where a hint asks for it";
}

TEST(Transposition, KnowsWhereWordsLie) {
  Random random(3);
  const TransposedShape shape{24, 8, {17, 9, 11}, {2, 0, 1}, [] { return 1; }};
  const auto found = transposition(shape.shape, 8);
  ASSERT_TRUE(found);
  for (std::int64_t i = 0; i < shape.size / 8; ++i) {
    ASSERT_EQ(found->offset(i), shape.offset(8 * i) - shape.origin) << i;
  }
}

std::vector<std::byte> contents_of(const TransposedShape& shape, ByteRange range,
                                   const std::vector<std::byte>& user, std::vector<std::byte> packed,
                                   std::int64_t shift) {
  for (std::int64_t p = range.begin; p < range.end; ++p) {
    packed[static_cast<std::size_t>(p + shift)] = user[static_cast<std::size_t>(shape.offset(p) + shift)];
  }
  return packed;
}

/// Moves the range on the device both ways; every byte around and between must stay as it was.
void check_on_device(const TransposedShape& shape, int word, ByteRange range, std::uint32_t seed) {
  constexpr std::int64_t guard = 64;
  const auto found = transposition(shape.shape, word);
  ASSERT_TRUE(found);
  const std::int64_t shift = guard + (seed % 2 == 0 ? word : 0);  // aligned for this word only, or for all
  const std::int64_t user_bytes = shape.extent + 2 * guard + word,
                     packed_bytes = shape.size + 2 * guard + word;
  const OwnStream stream;
  const auto user = allocate(Source::device, user_bytes);
  const auto packed = allocate(Source::device, packed_bytes);
  const auto user_before = noise(user_bytes, seed), packed_before = noise(packed_bytes, seed + 1);
  user->write(user_before);
  packed->write(packed_before);
  ASSERT_CUDA(cudaDeviceSynchronize());
  const gpu::LaunchContext context{0, stream.get()};
  gpu::TransposedMove move{Direction::pack, user->data() + shift + shape.origin, packed->data() + shift,
                           range};
  launch_transposed(*found, move, context);
  stream.wait();
  EXPECT_EQ(contents(*packed, packed_bytes), contents_of(shape, range, user_before, packed_before, shift));

  packed->write(packed_before);
  ASSERT_CUDA(cudaDeviceSynchronize());
  move.direction = Direction::unpack;
  launch_transposed(*found, move, context);
  stream.wait();
  auto expected = user_before;
  for (std::int64_t p = range.begin; p < range.end; ++p) {
    expected[static_cast<std::size_t>(shape.offset(p) + shift)] =
        packed_before[static_cast<std::size_t>(p + shift)];
  }
  EXPECT_EQ(contents(*user, user_bytes), expected);
}

TEST(Transposed, MatricesOfEveryWord) {
  TYPEWARP_NEEDS_GPU();
  for (const int word : {1, 2, 4, 8, 16}) {
    SCOPED_TRACE(word);
    for (const auto& [columns, rows] : {std::pair{512, 384}, {333, 77}, {6, 4000}, {4000, 3}}) {
      const TransposedShape shape = matrix(columns, rows, word, word);
      check_on_device(shape, word, {0, shape.size}, 1);
      check_on_device(shape, word, {0, shape.size}, 2);
      check_on_device(shape, word, {shape.size / 3 + 1, shape.size - 5}, 1);
      check_on_device(shape, word, {shape.size / 3 + 1, shape.size - 5}, 2);
    }
  }
}

TEST(Transposed, RandomShapesAndRanges) {
  TYPEWARP_NEEDS_GPU();
  std::uint64_t moved = 0;
  const std::uint64_t seeds = at_most_types(600);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int word = 1 << random.range(0, 4);
    const TransposedShape shape = random_transposed(random, word, 30000);
    if (!pays(shape.shape, plenty) || !transposition(shape.shape, word)) continue;
    for (const ByteRange range : ranges(random, shape.size)) {
      ++moved;
      check_on_device(shape, word, range, static_cast<std::uint32_t>(seed));
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(moved, seeds / 3);
}

}  // namespace
}  // namespace typewarp::test
