// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/displaced.hpp"
#include "engine/runtime/memory_kinds.hpp"
#include "engine/device/small_items.hpp"
#include "support/environment.hpp"

#include <algorithm>

/// The pattern kernels, against Algorithm 1, with guard bytes around and between the items.
namespace typewarp::test {
namespace {

constexpr std::int64_t guard = 64;

struct Fixture {
  const plan::State& state;
  const gpu::Pattern& pattern;
  std::int64_t count;
  std::vector<std::int64_t> offsets;  ///< of every packed byte, from the lowest one
  std::int64_t lowest, footprint;

  Fixture(const plan::State& of, const gpu::Pattern& by, std::int64_t items)
      : state(of), pattern(by), count(items) {
    for (std::int64_t byte = 0; byte < items * of.size; ++byte) {
      offsets.push_back(plan::locate(of.encoding.view(), of.extent, byte).offset);
    }
    const auto [low, high] = std::minmax_element(offsets.begin(), offsets.end());
    lowest = *low;
    footprint = *high + 1 - *low;
    for (std::int64_t& offset : offsets) offset -= lowest;
  }
  std::int64_t size() const { return static_cast<std::int64_t>(offsets.size()); }
};

/// The user's bytes begin `user_shift` bytes after an aligned address, those of the packed stream
/// `packed_shift` bytes.
struct Place {
  std::int64_t user_shift, packed_shift;
  Source packed = Source::device;
};

void check_move(const Fixture& items, ByteRange range, const Place& place) {
  const OwnStream stream;
  const auto user = allocate(Source::device, items.footprint + 3 * guard);
  const auto packed = allocate(place.packed, items.size() + 3 * guard);
  const std::int64_t user_begin = guard + place.user_shift;
  const std::int64_t packed_begin = guard + place.packed_shift;
  auto expected_user = noise(items.footprint + 3 * guard, 1);
  auto expected_packed = noise(items.size() + 3 * guard, 2);
  const gpu::LaunchContext launch{0, stream.get()};
  const auto move = [&](gpu::Direction direction) {
    user->write(expected_user);
    packed->write(expected_packed);
    for (std::int64_t byte = range.begin; byte < range.end; ++byte) {
      auto& in_user =
          expected_user[static_cast<std::size_t>(user_begin + items.offsets[static_cast<std::size_t>(byte)])];
      auto& in_packed = expected_packed[static_cast<std::size_t>(packed_begin + byte)];
      (direction == gpu::Direction::pack ? in_packed : in_user) =
          direction == gpu::Direction::pack ? in_user : in_packed;
    }
    gpu::launch_pattern(direction, launch, items.pattern,
                        gpu::displaced(user->data(), user_begin - items.lowest),
                        packed->data() + packed_begin, range);
    stream.wait();
    ASSERT_EQ(contents(*packed, items.size() + 3 * guard), expected_packed);
    ASSERT_EQ(contents(*user, items.footprint + 3 * guard), expected_user);
  };
  ASSERT_NO_FATAL_FAILURE(move(gpu::Direction::pack)) << "pack";
  expected_packed = noise(items.size() + 3 * guard, 3);
  ASSERT_NO_FATAL_FAILURE(move(gpu::Direction::unpack)) << "unpack";
}

TEST(CudaPattern, RandomItemsAndRanges) {
  TYPEWARP_NEEDS_GPU();
  std::uint64_t found = 0;
  const std::uint64_t seeds = at_most_types(300);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Plan plan = commit(small_item(seed));
    const std::int64_t count = random.range(2, 1500);
    const auto pattern = pattern_of_items(plan::state_of(plan), count);
    if (!pattern) continue;
    ++found;
    const Fixture items(plan::state_of(plan), *pattern, count);
    const std::int64_t begin = random.one_in(3) ? 0 : random.range(0, items.size() - 1);
    const std::int64_t end = random.one_in(3) ? items.size() : random.range(begin + 1, items.size());
    check_move(items, {begin, end}, {random.range(0, 15), random.range(0, 15)});
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(found, seeds * 2 / 3);
}

/// From items of one pattern to as many of another.
void check_copy(const Fixture& to, const Fixture& from, ByteRange range, const Place& place) {
  const OwnStream stream;
  const auto destination = allocate(Source::device, to.footprint + 3 * guard);
  const auto source = allocate(Source::device, from.footprint + 3 * guard);
  const std::int64_t begin = guard + place.user_shift;
  const std::int64_t source_begin = guard + place.packed_shift;
  auto expected = noise(to.footprint + 3 * guard, 1);
  const auto data = noise(from.footprint + 3 * guard, 2);
  destination->write(expected);
  source->write(data);
  for (std::int64_t byte = range.begin; byte < range.end; ++byte) {
    const auto at = static_cast<std::size_t>(byte);
    expected[static_cast<std::size_t>(begin + to.offsets[at])] =
        data[static_cast<std::size_t>(source_begin + from.offsets[at])];
  }
  ASSERT_TRUE(gpu::launch_pattern_copy({0, stream.get()}, to.pattern,
                                       gpu::displaced(destination->data(), begin - to.lowest), from.pattern,
                                       gpu::displaced(source->data(), source_begin - from.lowest), range));
  stream.wait();
  ASSERT_EQ(contents(*destination, to.footprint + 3 * guard), expected);
}

TEST(CudaPattern, CopiesBetweenRandomItems) {
  TYPEWARP_NEEDS_GPU();
  std::uint64_t found = 0;
  const std::uint64_t seeds = at_most_types(300);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Plan destination = commit(small_item(seed));
    const Plan source = commit(small_item(seed + 1000, destination.size()));
    const std::int64_t count = random.range(2, 1500);
    const auto to = pattern_of_items(plan::state_of(destination), count);
    const auto from = pattern_of_items(plan::state_of(source), count);
    if (!to || !from || !gpu::pattern_copy(*to, nullptr, *from, nullptr, {}, {0, to->size}, 1)) continue;
    ++found;
    const std::int64_t size = count * destination.size();
    const std::int64_t begin = random.one_in(3) ? 0 : random.range(0, size - 1);
    const std::int64_t end = random.one_in(3) ? size : random.range(begin + 1, size);
    check_copy({plan::state_of(destination), *to, count}, {plan::state_of(source), *from, count},
               {begin, end}, {8 * random.range(0, 1), random.range(0, 15)});
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(found, seeds / 3);
}

/// Blocks go on to a second tile, and go through several groups of each.
TEST(CudaPattern, CopiesMoreTilesThanBlocks) {
  TYPEWARP_NEEDS_GPU();
  const Plan destination = commit(resized(hindexed({1, 3, 7}, {9, 0, 15}, Named::byte), 0, 24));
  const Plan source = commit(resized(hindexed({6, 5}, {0, 8}, Named::byte), 0, -27));
  const std::int64_t count = 1000000;
  const auto to = pattern_of_items(plan::state_of(destination), count);
  const auto from = pattern_of_items(plan::state_of(source), count);
  ASSERT_TRUE(to && from);
  check_copy({plan::state_of(destination), *to, count}, {plan::state_of(source), *from, count},
             {5, 11 * count - 3}, {3, 7});
}

TEST(CudaPattern, EveryAlignmentAndShortRanges) {
  TYPEWARP_NEEDS_GPU();
  const Plan plan = commit(structure({1, 2, 1}, {0, 8, 16}, {Named::double_, Named::int_, Named::char_}));
  const auto pattern = pattern_of_items(plan::state_of(plan), 100);
  ASSERT_TRUE(pattern);
  const Fixture items(plan::state_of(plan), *pattern, 100);
  for (std::int64_t shift = 0; shift < 16; ++shift) {
    for (const ByteRange range : {ByteRange{0, 1}, {3, 5}, {16, 18}, {1, 50}, {0, 1700}}) {
      SCOPED_TRACE(testing::Message() << shift << ", bytes " << range.begin << " to " << range.end);
      check_move(items, range, {shift, 0});
      check_move(items, range, {0, shift});
      if (HasFatalFailure()) return;
    }
  }
}

TEST(CudaPattern, MoreTilesThanBlocks) {
  TYPEWARP_NEEDS_GPU();
  const Plan plan = commit(resized(hindexed({1, 3, 7}, {9, 0, 15}, Named::byte), 0, 24));
  const std::int64_t count = 3000000;
  const auto pattern = pattern_of_items(plan::state_of(plan), count);
  ASSERT_TRUE(pattern);
  check_move({plan::state_of(plan), *pattern, count}, {5, 11 * count - 3}, {3, 7});
}

TEST(CudaPattern, PinnedPackedBytes) {
  TYPEWARP_NEEDS_GPU();
  const Plan plan = commit(resized(contiguous(5, Named::byte), 0, 8));
  const auto pattern = pattern_of_items(plan::state_of(plan), 20000);
  ASSERT_TRUE(pattern);
  check_move({plan::state_of(plan), *pattern, 20000}, {2, 99999}, {0, 5, Source::pinned});
}

TEST(CudaPattern, OverlappingSources) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const Plan plan = commit(resized(hindexed({5, 4, 6}, {0, 3, 20}, Named::byte), 0, 27));
  const auto pattern = pattern_of_items(plan::state_of(plan), 500);
  ASSERT_TRUE(pattern);
  const Fixture items(plan::state_of(plan), *pattern, 500);
  const auto data = noise(items.footprint, 5);
  const auto user = allocate(Source::device, items.footprint);
  const auto packed = allocate(Source::device, items.size());
  user->write(data);
  gpu::launch_pattern(gpu::Direction::pack, {0, stream.get()}, *pattern,
                      gpu::displaced(user->data(), -items.lowest), packed->data(), {0, items.size()});
  stream.wait();
  EXPECT_EQ(contents(*packed, items.size()), packed_on_host(data.data(), 500, plan));
}

}  // namespace
}  // namespace typewarp::test
