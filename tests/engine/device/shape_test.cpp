// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/calls.hpp"
#include "engine/device/gpu.hpp"
#include "engine/device/kernels/words.hpp"
#include "engine/runtime/memory_kinds.hpp"
#include "engine/device/layout/operand.hpp"
#include "engine/device/layout/shape.hpp"
#include "plan/state.hpp"

#include <typewarp/host.hpp>

#include <algorithm>
#include <limits>

/// Shapes at the edges of what the kernels treat alike, against the host engine.
namespace typewarp::test {
namespace {

/// Packs and unpacks `count` items of a type without negative displacements on the device.
void check_round_trip(const Datatype& datatype, std::int64_t count) {
  const Plan plan = commit(datatype);
  const std::int64_t extent = datatype.true_ub() + (count - 1) * datatype.extent();
  const std::int64_t size = count * plan.size();
  const OwnStream stream;
  const auto user = allocate(Source::device, extent);
  const auto packed = allocate(Source::device, size);
  const auto data = noise(extent, 1);
  const auto expected = packed_on_host(data.data(), count, plan);
  user->write(data);
  pack(user->data(), count, plan, packed->data(), stream.get());
  ASSERT_EQ(contents(*packed, size), expected);

  const auto background = noise(extent, 2);
  user->write(background);
  unpack(packed->data(), user->data(), count, plan, stream.get());
  auto result = contents(*user, extent);
  ASSERT_EQ(packed_on_host(result.data(), count, plan), expected);
  // With the data put back to the background, nothing else may have changed.
  const auto restored = packed_on_host(background.data(), count, plan);
  const auto overlay = allocate(Source::pageable, extent);
  overlay->write(result);
  unpack(restored.data(), overlay->data(), count, plan, stream.get());
  EXPECT_EQ(contents(*overlay, extent), background);
}

TEST(CudaShapes, ManyMembersOfDifferentShape) {
  TYPEWARP_NEEDS_GPU();
  std::vector<std::int64_t> lengths, displacements;
  std::vector<Datatype> members;
  for (std::int64_t i = 0; i < 24; ++i) {
    lengths.push_back(1);
    displacements.push_back(i * 4096);
    members.push_back(hvector(i + 2, 1, 16 + 4 * i, vector(2, 1, 2, Named::int_)));
  }
  const Datatype type = structure(lengths, displacements, members);
  check_round_trip(type, 3);
}

TEST(CudaShapes, MoreLevelsThanAViewHolds) {
  TYPEWARP_NEEDS_GPU();
  Datatype type = Named::short_;
  for (std::size_t level = 0; level <= gpu::Strided::capacity; ++level) {
    type = hvector(2, 1, 3 * type.extent(), type);
  }
  ASSERT_NE(gpu::shape_of(plan::state_of(commit(type)).encoding).lookup, gpu::Lookup::none);
  check_round_trip(type, 5);
}

TEST(CudaShapes, EveryWordWidth) {
  TYPEWARP_NEEDS_GPU();
  for (const std::int64_t run : {1, 2, 4, 8, 16, 48, 6, 12, 24}) {
    SCOPED_TRACE(run);
    check_round_trip(hvector(1001, run, 3 * run, Named::byte), 2);
    check_round_trip(hindexed_block(run, {0, 2 * run, 7 * run, 9 * run}, Named::byte), 37);
  }
}

TEST(CudaShapes, MoreWordsThanThreadsOfAGrid) {
  TYPEWARP_NEEDS_GPU();
  check_round_trip(vector(3000000, 1, 2, Named::double_), 1);
  check_round_trip(indexed_block(1, {0, 2, 3, 7}, Named::int_), 400000);
}

/// As many as make it worth while to go through them by fewer thread blocks.
TEST(CudaShapes, BlocksFarApart) {
  TYPEWARP_NEEDS_GPU();
  for (const std::int64_t block : {1, 2, 4, 8, 16}) {
    SCOPED_TRACE(block);
    const std::int64_t count = gpu::words_policy.far_size / block + 77;
    const std::int64_t stride =
        std::max<std::int64_t>(gpu::density_policy.sparse * block, gpu::density_policy.far);
    check_round_trip(hvector(count, block, stride, Named::byte), 1);
  }
}

/// Small words and items, too many to be moved one by one.
TEST(CudaShapes, ManySmallWords) {
  TYPEWARP_NEEDS_GPU();
  const std::int64_t count = gpu::few_bytes.within_device;
  check_round_trip(hvector(count + 3, 1, 3, Named::byte), 1);
  check_round_trip(hvector(count + 3, 2, 6, Named::byte), 1);
  check_round_trip(structure({1, 2, 1}, {0, 8, 16}, {Named::double_, Named::int_, Named::char_}), count);
  check_round_trip(hvector(count, 9, 13, Named::byte), 1);
}

/// Rows of an image, at every alignment.
TEST(CudaShapes, LongRunsAtOddAddresses) {
  TYPEWARP_NEEDS_GPU();
  for (const std::int64_t run : {128, 129, 143, 999, 14997}) {
    SCOPED_TRACE(run);
    const std::int64_t rows = 2 * gpu::few_bytes.within_device / run + 3;
    check_round_trip(hvector(rows, run, run + 5, Named::byte), 1);
    check_round_trip(hvector(rows, 2 * run, 2 * run + 6, Named::byte), 1);
    check_round_trip(resized(hvector(3, run, 2 * run + 1, Named::byte), 0, 7 * run + 2), rows);
  }
}

/// From runs of one length into runs of another, beginning and ending in the middle of them.
TEST(CudaShapes, LongRunsFromLayoutToLayout) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const std::int64_t bytes = 4 * gpu::few_bytes.within_device + 6 * 999 * 130;
  const std::int64_t size = bytes / (999 * 130) * (999 * 130);
  for (const auto& [there, here] :
       {std::pair<std::int64_t, std::int64_t>{999, 130}, {130, 999}, {999, 999}}) {
    SCOPED_TRACE(testing::Message() << there << " to " << here);
    const Plan from = commit(hvector(size / there, there, there + 2, Named::byte));
    const Plan to = commit(hvector(size / here, here, here + 3, Named::byte));
    const auto source = allocate(Source::device, from.extent());
    const auto destination = allocate(Source::device, to.extent());
    const auto data = noise(from.extent(), 4);
    auto expected = noise(to.extent(), 5);
    source->write(data);
    destination->write(expected);
    const ByteRange range{77, size - 5};
    const auto packed = packed_on_host(data.data(), 1, from);
    host::unpack(packed.data() + range.begin, expected.data(), 1, to, range);
    copy(source->data(), 1, from, destination->data(), 1, to, range, stream.get());
    ASSERT_EQ(contents(*destination, to.extent()), expected);
  }
}

/// From every layout of 17 bytes an item into every other, in words of a byte, beginning and ending in the
/// middle of items.
TEST(CudaShapes, ManySmallWordsFromLayoutToLayout) {
  TYPEWARP_NEEDS_GPU();
  const std::int64_t count = gpu::few_bytes.within_device;
  const OwnStream stream;
  const Datatype run = contiguous(17, Named::byte);
  const std::vector<Datatype> types{
      structure({1, 2, 1}, {0, 8, 16}, {Named::double_, Named::int_, Named::char_}), resized(run, 0, 23),
      hindexed({5, 12}, {0, 9}, Named::byte), resized(hindexed({11, 6}, {0, 13}, Named::byte), 0, 31)};
  for (std::size_t i = 0; i < types.size(); ++i) {
    for (std::size_t j = 0; j < types.size(); ++j) {
      SCOPED_TRACE(testing::Message() << i << " to " << j);
      const Plan from = commit(types[i]);
      const Plan to = commit(types[j]);
      const std::int64_t bytes = from.extent() * count;
      const auto source = allocate(Source::device, bytes);
      const auto destination = allocate(Source::device, to.extent() * count);
      const auto data = noise(bytes, 4);
      auto expected = noise(to.extent() * count, 5);
      source->write(data);
      destination->write(expected);
      const ByteRange range{7, 17 * count - 5};
      const auto packed = packed_on_host(data.data(), count, from);
      host::unpack(packed.data() + range.begin, expected.data(), count, to, range);
      copy(source->data(), count, from, destination->data(), count, to, range, stream.get());
      ASSERT_EQ(contents(*destination, to.extent() * count), expected);
    }
  }
}

/// Rectangles whose halves are moved at every byte alignment of the packed address and of the cut.
TEST(CudaShapes, EveryAlignmentOfPackedBytes) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  for (const Datatype& type : {vector(9, 4, 6, Named::double_), contiguous(40, Named::double_),
                               indexed({4, 2, 6}, {0, 6, 10}, Named::double_)}) {
    const Plan plan = commit(type);
    const auto data = noise(plan.extent(), 3);
    const auto expected = packed_on_host(data.data(), 1, plan);
    const auto user = allocate(Source::device, plan.extent());
    const auto packed = allocate(Source::device, plan.size() + 16);
    user->write(data);
    for (std::int64_t shift = 0; shift < 16; ++shift) {
      for (std::int64_t cut = 0; cut <= 33; ++cut) {
        packed->write(std::vector<std::byte>(static_cast<std::size_t>(plan.size() + 16)));
        std::byte* const to = packed->data() + shift;
        pack(user->data(), 1, plan, to, {0, cut}, stream.get());
        pack(user->data(), 1, plan, to + cut, {cut, plan.size()}, stream.get());
        auto result = contents(*packed, plan.size() + 16);
        result.erase(result.begin(), result.begin() + shift);
        result.resize(static_cast<std::size_t>(plan.size()));
        ASSERT_EQ(result, expected) << type << "packed at " << shift << ", cut at " << cut;
      }
    }
  }
}

TEST(CudaShapes, EveryAlignmentOfTheBuffer) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const Plan plan = commit(vector(9, 4, 6, Named::double_));
  const auto data = noise(plan.extent() + 16, 4);
  const auto user = allocate(Source::device, plan.extent() + 16);
  const auto packed = allocate(Source::device, plan.size());
  user->write(data);
  for (std::int64_t shift = 0; shift < 16; ++shift) {
    pack(user->data() + shift, 1, plan, packed->data(), stream.get());
    ASSERT_EQ(contents(*packed, plan.size()), packed_on_host(data.data() + shift, 1, plan)) << shift;
  }
}

/// Contiguous bytes to contiguous bytes, which a kernel moves up to a size and DMA beyond.
TEST(CudaShapes, ContiguousAtEveryAlignment) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const std::int64_t most = (std::int64_t{64} << 10) + 1;  // over a link, the first that DMA moves
  const auto data = noise(most + 16, 8);
  const auto from = allocate(Source::device, most + 16);
  const auto to = allocate(Source::pinned, most + 16);
  const Plan plan = commit(contiguous(most, Named::byte));
  from->write(data);
  for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{7}, std::int64_t{100}, most - 1, most}) {
    for (std::int64_t shift = 0; shift < 16; ++shift) {
      for (std::int64_t other = 0; other < 16; other += bytes > 100 ? 5 : 1) {
        SCOPED_TRACE(testing::Message() << bytes << " bytes from " << shift << " to " << other);
        const std::vector<std::byte> part(data.begin() + shift, data.begin() + shift + bytes);
        for (const bool packs : {true, false}) {
          to->write(std::vector<std::byte>(static_cast<std::size_t>(most + 16), std::byte{0x5a}));
          packs ? pack(from->data() + shift, 1, plan, to->data() + other, {0, bytes}, stream.get())
                : unpack(from->data() + shift, to->data() + other, 1, plan, {0, bytes}, stream.get());
          const auto result = contents(*to, most + 16);
          ASSERT_EQ(std::vector(result.begin() + other, result.begin() + other + bytes), part);
          ASSERT_TRUE(std::all_of(result.begin(), result.begin() + other,
                                  [](std::byte b) { return b == std::byte{0x5a}; }));
          ASSERT_TRUE(std::all_of(result.begin() + other + bytes, result.end(),
                                  [](std::byte b) { return b == std::byte{0x5a}; }));
        }
      }
    }
  }
}

/// Rows that DMA moves to and from host memory, whole and cut.
TEST(CudaShapes, LongRowsOverTheLink) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const Plan plan = commit(hvector(7, 3000, 4100, Named::byte));
  const std::int64_t count = 3;
  const std::int64_t extent = plan.extent() * count;
  const auto data = noise(extent, 7);
  const auto expected = packed_on_host(data.data(), count, plan);
  const auto user = allocate(Source::device, extent);
  const auto packed = allocate(Source::pinned, count * plan.size());
  for (const ByteRange range :
       {ByteRange{0, 21000}, ByteRange{3000, 9000}, ByteRange{1, 9000}, ByteRange{0, 63000}}) {
    const auto bytes = range.end - range.begin;
    const std::int64_t items = range.end > plan.size() ? count : 1;
    SCOPED_TRACE(testing::Message() << range.begin << " to " << range.end);
    const std::vector<std::byte> part(expected.begin() + range.begin, expected.begin() + range.end);
    user->write(data);
    pack(user->data(), items, plan, packed->data(), range, stream.get());
    ASSERT_EQ(contents(*packed, bytes), part);
    user->write(std::vector<std::byte>(static_cast<std::size_t>(extent)));
    unpack(packed->data(), user->data(), items, plan, range, stream.get());
    const auto result = contents(*user, extent);
    const auto repacked = packed_on_host(result.data(), count, plan);
    ASSERT_EQ(std::vector(repacked.begin() + range.begin, repacked.begin() + range.end), part);
    ASSERT_EQ(std::count(result.begin(), result.end(), std::byte{0}),
              extent - bytes + std::count(part.begin(), part.end(), std::byte{0}));
  }
}

TEST(CudaShapes, MoreItemsThanFit64BitsOfBytes) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const auto data = noise(4096, 6);
  const auto user = allocate(Source::device, 4096);
  const auto packed = allocate(Source::device, 45);
  user->write(data);
  for (const Datatype& type : {contiguous(10, Named::int_), vector(3, 1, 2, Named::int_)}) {
    const Plan plan = commit(type);
    pack(user->data(), std::numeric_limits<std::int64_t>::max(), plan, packed->data(), {5, 50}, stream.get());
    const auto whole = packed_on_host(data.data(), 10, plan);
    EXPECT_EQ(contents(*packed, 45), std::vector(whole.begin() + 5, whole.begin() + 50)) << type;
  }
}

TEST(CudaShapes, OverlappingSources) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  OneItem it(hindexed({3, 4, 2}, {0, 4, 2}, Named::int_));
  const auto expected = it.fill(5);
  it.pack(stream.get());
  EXPECT_EQ(it.packed_bytes(), expected);
}

TEST(CudaShapes, NamesADeviceThatIsNotThere) {
  TYPEWARP_NEEDS_GPU();
  const Plan plan = commit(vector(3, 1, 2, Named::int_));
  const auto message =
      message_of([&] { gpu::copy({nullptr, 12, nullptr}, {&plan, 1, nullptr}, {0, 12}, {1000}); });
  EXPECT_TRUE(message.starts_with("typewarp::gpu: device = 1000: must be one of the ")) << message;
}

}  // namespace
}  // namespace typewarp::test
