// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/dma.hpp"

#include "support/environment.hpp"
#include "support/random.hpp"
#include "support/random_type.hpp"
#include "support/type_map.hpp"
#include "support/user_buffer.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <vector>

namespace typewarp::test {
namespace {

using gpu::Box;
using gpu::OperandTraits;

constexpr std::size_t plenty = 100000;

std::optional<std::vector<Box>> boxes(const OperandTraits& to, const OperandTraits& from, ByteRange range,
                                      std::size_t most) {
  std::vector<Box> list(3);  // of another move
  if (!gpu::boxes(to, from, range, most, list)) return std::nullopt;
  return list;
}

/// Items in memory of the host.
class Items : public OperandTraits {
 public:
  Items(const Plan& plan, std::int64_t count, void* origin) : OperandTraits(MemoryKind::device, false) {
    const plan::State& state = plan::state_of(plan);
    be_items(state, count, gpu::displaced(static_cast<std::byte*>(origin), state.layout.offset),
             gpu::shape_of(state.encoding), 1);
  }
};

/// Packed bytes, of which byte 0 lies or would lie at `bytes`.
class Packed : public OperandTraits {
 public:
  Packed(std::byte* bytes, std::int64_t end) : OperandTraits(MemoryKind::device, false) {
    be_packed(bytes, end);
  }
};

/// As a copy engine does it.
void make(const std::vector<Box>& list) {
  for (const Box& box : list) {
    EXPECT_EQ(box.to.layer % box.to.pitch, 0);
    EXPECT_EQ(box.from.layer % box.from.pitch, 0);
    EXPECT_GE(box.to.pitch, box.row);
    EXPECT_GE(box.from.pitch, box.row);
    EXPECT_GE(box.to.layer, box.to.pitch * box.rows);
    EXPECT_GE(box.from.layer, box.from.pitch * box.rows);
    for (std::int64_t layer = 0; layer < box.layers; ++layer) {
      for (std::int64_t row = 0; row < box.rows; ++row) {
        std::memcpy(gpu::displaced(box.to.first, layer * box.to.layer + row * box.to.pitch),
                    gpu::displaced(box.from.first, layer * box.from.layer + row * box.from.pitch),
                    static_cast<std::size_t>(box.row));
      }
    }
  }
}

/// Both ways between items and packed bytes, against the type map.
void check(const Datatype& type, std::int64_t count, ByteRange range, std::uint64_t seed) {
  const Plan plan = commit(type);
  UserBuffer user(type, count, seed);
  const Bytes stream = gathered(user, type, count);
  const auto end = static_cast<std::int64_t>(stream.size());

  Bytes packed = pattern(end, seed + 1);
  Bytes expected = packed;
  std::copy(stream.begin() + range.begin, stream.begin() + range.end, expected.begin() + range.begin);
  const auto packing = boxes(Packed(packed.data(), end), Items(plan, count, user.origin()), range, plenty);
  ASSERT_TRUE(packing);
  make(*packing);
  EXPECT_EQ(packed, expected);

  if (!disjoint(byte_map(type, count))) return;  // items lie in each other
  const Bytes other = pattern(end, seed + 2);
  UserBuffer wanted(type, count, seed);
  Bytes all = stream;
  std::copy(other.begin() + range.begin, other.begin() + range.end, all.begin() + range.begin);
  scatter(all, wanted, type, count);
  Bytes source = other;
  const auto unpacking = boxes(Items(plan, count, user.origin()), Packed(source.data(), end), range, plenty);
  ASSERT_TRUE(unpacking);
  make(*unpacking);
  EXPECT_EQ(user.bytes(), wanted.bytes());
}

TEST(Boxes, HoldEachByteOfRandomTypesOnce) {
  const std::uint64_t seeds = at_most_types(400);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    const Datatype type = random_type(seed);
    if (type.size() == 0) continue;
    Random random(seed);
    const std::int64_t count = random.range(1, 5);
    const std::int64_t begin = random.range(0, count * type.size() - 1);
    check(type, count, {0, count * type.size()}, seed);
    check(type, count, {begin, random.range(begin + 1, count * type.size())}, seed);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Boxes, BetweenTwoLayoutsHoldEachByteOnce) {
  const std::uint64_t seeds = at_most_types(200);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    const Datatype from = random_type(seed);
    if (from.size() == 0) continue;
    const Datatype to = scattered_like(from, 3, seed);
    UserBuffer source(from, 3, seed), destination(to, 1, seed + 1), wanted(to, 1, seed + 1);
    scatter(gathered(source, from, 3), wanted, to, 1);
    const Plan from_plan = commit(from), to_plan = commit(to);
    const auto list = boxes(Items(to_plan, 1, destination.origin()), Items(from_plan, 3, source.origin()),
                            {0, 3 * from.size()}, plenty);
    ASSERT_TRUE(list);
    make(*list);
    ASSERT_EQ(destination.bytes(), wanted.bytes());
  }
}

/// What is needed to pack all of it, at most `most`; 0 if that is not enough.
std::size_t needed(const Datatype& type, std::int64_t count, ByteRange range, std::size_t most = plenty) {
  const Plan plan = commit(type);
  const auto list = boxes(Packed(nullptr, count * type.size()), Items(plan, count, nullptr), range, most);
  return list ? list->size() : 0;
}

TEST(Boxes, AreAsFewAsTheLevelsAllow) {
  const Datatype rows = vector(1000, 2, 5, Named::double_);
  EXPECT_EQ(needed(rows, 1, {0, 16000}), 1U);
  EXPECT_EQ(needed(subarray({50, 60, 70}, {10, 20, 30}, {1, 2, 3}, Order::c, Named::double_), 1, {0, 48000}),
            1U);
  EXPECT_EQ(needed(resized(rows, 0, 1000000 * 40), 7, {0, 7 * 16000}), 1U) << "layers of rows";
  EXPECT_EQ(needed(resized(rows, 0, 1000 * 40 + 8), 7, {0, 7 * 16000}), 7U) << "no multiple of the pitch";
  EXPECT_EQ(needed(rows, 1, {8, 15992}), 3U) << "a part of the first row, whole rows, a part of the last";
  EXPECT_EQ(needed(contiguous(1000, Named::int_), 5, {4, 17000}), 1U);
  EXPECT_EQ(needed(vector(10, 1, -2, Named::int_), 1, {0, 40}), 10U) << "rows go upwards only";
  EXPECT_EQ(needed(indexed({1, 2, 3}, {0, 4, 9}, Named::int_), 2, {0, 48}), 5U) << "items that touch";
}

TEST(Boxes, AreNoMoreThanTheLimit) {
  const Datatype runs = resized(indexed({1, 2, 3}, {0, 4, 9}, Named::int_), 0, 52);
  EXPECT_EQ(needed(runs, 10, {0, 240}, 30), 30U);
  EXPECT_EQ(needed(runs, 10, {0, 240}, 29), 0U);
  const Datatype apart = resized(vector(100, 1, 2, Named::int_), 0, 804);
  EXPECT_EQ(needed(apart, 9, {0, 3600}, 9), 9U);
  EXPECT_EQ(needed(apart, 9, {2, 3598}, 11), 11U);
  EXPECT_EQ(needed(apart, 9, {0, 3600}, 8), 0U);
}

}  // namespace
}  // namespace typewarp::test
