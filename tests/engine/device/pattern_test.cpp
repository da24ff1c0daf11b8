// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/small_items.hpp"
#include "support/random_type.hpp"

#include <gtest/gtest.h>

#include <vector>

/// What the host prepares for the pattern kernels, against Algorithm 1. No address is ever followed.
namespace typewarp::gpu {
namespace {

constexpr std::int64_t many = 1000;

std::optional<Pattern> pattern(const Datatype& datatype, std::int64_t count = many) {
  return test::pattern_of_items(plan::state_of(commit(datatype)), count);
}

const Datatype bytes_17 = structure({1, 2, 1}, {0, 8, 16}, {Named::double_, Named::int_, Named::char_});

std::int64_t offset_by(const Pattern& pattern, std::int64_t byte) {
  return pattern.low + byte / pattern.size * pattern.stride +
         pattern.places[static_cast<std::size_t>(byte % pattern.size)];
}

/// Every packed byte once, in order, in aligned chunks of bytes that are consecutive on both sides.
/// place_in_source(byte) is where a packed byte of the group lies.
template <typename Place>
void check_chunks(const plan::State& state, const Pattern& pattern, const PatternScatter& move,
                  std::int64_t first, const Place& place_in_source) {
  std::int64_t byte = 0;
  ASSERT_LE(move.groups.slots, Chunk::most);
  for (std::int32_t slot = 0; slot < move.groups.slots; ++slot) {
    const Chunk& chunk = move.chunks[static_cast<std::size_t>(slot)];
    ASSERT_EQ(chunk.packed, byte);
    ASSERT_EQ((reinterpret_cast<std::uintptr_t>(move.user) + static_cast<std::uintptr_t>(chunk.place)) %
                  chunk.bytes,
              0u);
    for (std::int64_t i = 0; i < chunk.bytes; ++i) {
      const std::int64_t offset = plan::locate(state.encoding.view(), state.extent, first + byte + i).offset;
      const std::int64_t base = pattern.low + first / pattern.size * pattern.stride;
      ASSERT_EQ(base + chunk.place + i, offset);
      ASSERT_EQ(chunk.source + i, place_in_source(byte + i));
    }
    byte += chunk.bytes;
  }
  EXPECT_EQ(byte, move.groups.packed);
  EXPECT_EQ(move.groups.packed, std::int64_t{move.groups.items} * pattern.size);
  EXPECT_EQ(move.groups.stride % 8 == 0 || move.groups.items < 8, true);
}

/// Whether the type has a pattern; if so, it and its chunks are right.
bool check(const Datatype& datatype) {
  const Plan plan = commit(datatype);
  const plan::State& state = plan::state_of(plan);
  if (state.size == 0) return false;
  const auto found = test::pattern_of_items(state, many);
  if (!found) return false;
  EXPECT_TRUE(found->is_of(test::shape_of_items(state, many)));
  for (std::int64_t byte = 0; byte < 3 * state.size + found->size; ++byte) {
    EXPECT_EQ(offset_by(*found, byte), plan::locate(state.encoding.view(), state.extent, byte).offset);
    if (testing::Test::HasFailure()) return true;
  }
  for (std::uintptr_t misalignment = 0; misalignment < 8; ++misalignment) {
    auto* const base = reinterpret_cast<std::byte*>((std::uintptr_t{1} << 40) + misalignment);
    const std::int64_t item = 5;
    const ByteRange range{item * found->size, item * found->size + many};
    const PatternScatter move = pattern_unpack(*found, {}, base, nullptr, range, 132);
    check_chunks(state, *found, move, range.begin, [](std::int64_t byte) { return byte; });
    if (testing::Test::HasFatalFailure()) return true;
  }
  return true;
}

TEST(Pattern, AgreesWithLocate) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    found += check(test::small_item(seed)) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(found, 400);
}

TEST(Pattern, AgreesWithLocateOnRandomTypes) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    found += check(test::random_type(seed, {.depth = 3, .max_size = 200, .max_extent = 600})) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(found, 50);
}

TEST(Pattern, IsTheOutermostLevel) {
  const auto structs = pattern(bytes_17);
  ASSERT_TRUE(structs);
  EXPECT_EQ(structs->size, 17);
  EXPECT_EQ(structs->stride, 24);
  const auto rows = pattern(hvector(7, 1, 24, bytes_17));
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->size, 17) << "items that continue the layout are one level with it";
  const auto spaced = pattern(resized(hvector(7, 1, 24, bytes_17), 0, 200));
  ASSERT_TRUE(spaced);
  EXPECT_EQ(spaced->size, 119);
  EXPECT_EQ(spaced->stride, 200);
  EXPECT_FALSE(structs->is_of(test::shape_of_items(plan::state_of(commit(resized(bytes_17, 0, 32))), many)));
  EXPECT_FALSE(structs->is_of(
      test::shape_of_items(plan::state_of(commit(resized(contiguous(16, Named::char_), 0, 24))), many)));
}

TEST(Pattern, IsNotForWhatOtherKernelsDoAsWell) {
  const auto runs = [](std::int64_t bytes, std::int64_t extent) {
    return pattern(resized(contiguous(bytes, Named::byte), 0, extent)).has_value();
  };
  EXPECT_TRUE(runs(17, 24));
  EXPECT_TRUE(runs(1, 4));
  EXPECT_FALSE(runs(17, 17)) << "contiguous";
  EXPECT_FALSE(runs(12, 20)) << "words of 4 bytes";
  EXPECT_FALSE(runs(1, 5)) << "sparse";
  EXPECT_TRUE(runs(1023, 1024));
  EXPECT_FALSE(runs(1025, 1028)) << "large";
  EXPECT_FALSE(pattern(bytes_17, 1)) << "one item";
  EXPECT_FALSE(pattern(hindexed({9, 9}, {0, 4000}, Named::byte))) << "far apart";
}

TEST(Pattern, DeclinesWhatNeedsTooManyStores) {
  std::vector<std::int64_t> displacements;
  for (std::int64_t i = 0; i < Chunk::most; ++i) displacements.push_back(2 * i + i / 100);
  EXPECT_TRUE(pattern(resized(hindexed_block(1, displacements, Named::byte), 0, 600)));
  displacements.push_back(560);
  EXPECT_FALSE(pattern(resized(hindexed_block(1, displacements, Named::byte), 0, 600)));
}

TEST(Pattern, CutsRunsAtTheAlignmentOfTheAddress) {
  const auto found = pattern(bytes_17);
  ASSERT_TRUE(found);
  const auto widths = [&](int misalignment) {
    Chunk chunks[32];
    const int count = cut(*found, packed_source(*found), 1, misalignment, chunks, 32);
    std::vector<int> result;
    for (int i = 0; i < count; ++i) result.push_back(chunks[i].bytes);
    return result;
  };
  EXPECT_EQ(widths(0), (std::vector<int>{8, 8, 1}));
  EXPECT_EQ(widths(1), (std::vector<int>{1, 2, 4, 8, 2}));
  EXPECT_EQ(widths(4), (std::vector<int>{4, 8, 4, 1}));
}

TEST(Pattern, ReadsNothingBesidesTheBytesThatItMoves) {
  const auto found = pattern(bytes_17);
  ASSERT_TRUE(found);
  auto* const base = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40);
  const PatternPack move = pattern_pack(*found, {}, base, base, {40, 101}, 132);
  EXPECT_EQ(move.lowest - base, 2 * 24 + 6);
  EXPECT_EQ(move.highest - base, 5 * 24 + 16);
  const PatternPack part = pattern_pack(*found, {}, base, base, {20, 25}, 132);
  EXPECT_EQ(part.lowest - base, 24 + 3);
  EXPECT_EQ(part.highest - base, 24 + 8);
}

TEST(Pattern, IsNotOfItemsInEachOthersHoles) {
  EXPECT_FALSE(pattern(resized(hindexed_block(1, {0, 40}, contiguous(3, Named::byte)), 0, 5)));
  EXPECT_TRUE(pattern(resized(hindexed_block(1, {0, 7}, contiguous(3, Named::byte)), 0, 10)));
}

TEST(Pattern, CopiesToItemsOfTheSameSize) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const Plan destination = commit(test::small_item(seed));
    const auto to = test::pattern_of_items(plan::state_of(destination), many);
    const auto from = pattern(test::small_item(seed + 1000, destination.size()));
    if (!to || !from) continue;
    auto* const base = reinterpret_cast<std::byte*>((std::uintptr_t{1} << 40) + seed % 8);
    const ByteRange range{5 * to->size, 5 * to->size + many};
    const auto move = pattern_copy(*to, base, *from, base, {}, range, 132);
    if (!move) continue;
    ++found;
    check_chunks(plan::state_of(destination), *to, *move, range.begin,
                 [&](std::int64_t byte) { return offset_by(*from, byte) - from->low; });
    if (HasFatalFailure()) return;
    EXPECT_EQ(move->source - base, offset_by(*from, range.begin) - from->places[0]);
    EXPECT_EQ(move->low_place < 0, from->stride < 0);
    const std::int64_t items = std::int64_t{move->groups.of_tile} * move->groups.items;
    EXPECT_GE(move->groups.image, (items - 1) * std::abs(from->stride) + from->footprint);
  }
  EXPECT_GT(found, 100);
  EXPECT_FALSE(pattern_copy(*pattern(bytes_17), nullptr,
                            *pattern(resized(contiguous(15, Named::byte), 0, 24)), nullptr, {}, {0, 1000},
                            132));
}

TEST(Pattern, UsesAllMultiprocessorsForSmallRanges) {
  const auto found = pattern(bytes_17);
  ASSERT_TRUE(found);
  auto* const base = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40);
  const ByteRange range{0, 1 << 20};
  EXPECT_GE(pattern_pack(*found, {}, base, base, range, 132).groups.tiles, 132u);
  EXPECT_GE(pattern_unpack(*found, {}, base, base, range, 132).groups.tiles, 132u);
}

}  // namespace
}  // namespace typewarp::gpu
