// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Moves by copy engines alone, to and from page-locked memory.

#include "engine/device/gpu.hpp"
#include "engine/runtime/memory_kinds.hpp"
#include "engine/runtime/gpu_sharing.hpp"

#include <typewarp/engine.hpp>

#include <optional>

namespace typewarp::test {
namespace {

constexpr std::int64_t rows = 3000;

class CopyEngines : public testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_present()) GTEST_SKIP() << "needs a GPU";
    stream_.emplace();
  }

  /// Whether copy engines packed and unpacked all of it, from byte `begin` of the stream on.
  bool moves(const Datatype& type, std::int64_t begin = 0) {
    const Plan plan = commit(type);
    const ByteRange range{begin, plan.size()};
    const std::int64_t bytes = range.end - range.begin;
    const auto image = noise(plan.extent(), 1), other = noise(bytes, 2);
    const auto field = allocate(Source::device, plan.extent());
    const auto packed = allocate(Source::pinned, bytes);
    field->write(image);
    const gpu::Side layout{&plan, 1, field->data(), MemoryKind::device, 0};
    const gpu::Side host{nullptr, bytes, packed->data(), MemoryKind::pinned};
    const auto before = gpu::launches();
    const bool taken = gpu::copy_by_engines(host, layout, range, {0, stream_->get()});
    stream_->wait();
    if (!taken) return false;
    const auto expected = packed_on_host(image.data(), 1, plan);
    EXPECT_EQ(contents(*packed, bytes), std::vector<std::byte>(expected.begin() + begin, expected.end()));

    packed->write(other);
    EXPECT_TRUE(gpu::copy_by_engines(layout, host, range, {0, stream_->get()}));
    stream_->wait();
    EXPECT_EQ(gpu::launches(), before);
    std::vector<std::byte> whole(expected.begin(), expected.begin() + begin);
    whole.insert(whole.end(), other.begin(), other.end());
    auto all = image;
    unpack(whole.data(), all.data(), 1, plan, {0, plan.size()}, nullptr);
    EXPECT_EQ(contents(*field, plan.extent()), all);
    return true;
  }

  std::optional<OwnStream> stream_;
};

TEST_F(CopyEngines, MoveRunsAndRowsHoweverShort) {
  EXPECT_TRUE(moves(contiguous(100'001, Named::byte)));
  EXPECT_TRUE(moves(contiguous(100'001, Named::byte), 777));
  for (const std::int64_t row : {1, 8, 24, 5000}) {
    EXPECT_TRUE(moves(vector(rows, row, row + 8, Named::byte))) << row;
    EXPECT_TRUE(moves(vector(rows, row, row + 8, Named::byte), 100 * row)) << row;
  }
}

TEST_F(CopyEngines, LeaveTheRestToKernels) {
  EXPECT_FALSE(moves(vector(rows, 8, 16, Named::byte), 4)) << "a part of a row";
  EXPECT_FALSE(moves(indexed_block(8, {0, 9, 20, 40}, Named::byte))) << "no rows of one distance";
  EXPECT_TRUE(moves(vector(32768, 8, 16, Named::byte)));
  EXPECT_FALSE(moves(vector(32769, 8, 16, Named::byte))) << "too many rows";
}

TEST_F(CopyEngines, SuitWhatTheyMove) {
  const auto suit = [](const Datatype& type) {
    const Plan plan = commit(type);
    const auto field = allocate(Source::device, plan.extent());
    return gpu::suits_copy_engines({&plan, 1, field->data(), MemoryKind::device, 0}, plan.size(), 0);
  };
  EXPECT_TRUE(suit(contiguous(1000, Named::byte)));
  EXPECT_TRUE(suit(vector(rows, 8, 16, Named::byte)));
  EXPECT_FALSE(suit(vector(32769, 8, 16, Named::byte)));
  EXPECT_FALSE(suit(indexed_block(8, {0, 9, 20, 40}, Named::byte)));
}

TEST_F(CopyEngines, AreNotTakenAgainstHints) {
  const std::int64_t bytes = 8 * rows;
  const auto field = allocate(Source::device, 2 * bytes);
  const auto packed = allocate(Source::pinned, bytes);
  const gpu::Side host{nullptr, bytes, packed->data(), MemoryKind::pinned};
  const auto taken = [&](const Hints& hints) {
    const Plan plan = commit(vector(rows, 8, 16, Named::byte)).with(hints);
    const gpu::Side layout{&plan, 1, field->data(), MemoryKind::device, 0};
    const bool suits = gpu::suits_copy_engines(layout, bytes, 0);
    EXPECT_EQ(gpu::copy_by_engines(host, layout, {0, bytes}, {0, stream_->get()}), suits);
    return suits;
  };
  EXPECT_TRUE(taken({.priority = Priority::high}));
  EXPECT_FALSE(taken({.avoid = Resource::copy_engines}));
  EXPECT_FALSE(taken({.method = Method::words}));
  stream_->wait();
}

TEST_F(CopyEngines, AreNotWantedOnADeviceOfItsOwn) { EXPECT_EQ(gpu::sharing(0), gpu::Sharing::alone); }

TEST_F(CopyEngines, AreWantedWhereProcessesShareADevice) {
  int mps = 0;
  ASSERT_CUDA(cudaDeviceGetAttribute(&mps, cudaDevAttrMpsEnabled, 0));
  gpu::tell_of_sharing(0);
  EXPECT_EQ(gpu::sharing(0), mps == 0 ? gpu::Sharing::time_sliced : gpu::Sharing::mps);
  for (const int other : {63, 64, -1}) EXPECT_EQ(gpu::sharing(other), gpu::Sharing::alone) << other;

  // Short runs go in rows then.
  for (const std::int64_t bytes : {1, 2, 3, 4, 5, 17, 1023, 24'577, 32'766, 32'767, 32'768}) {
    EXPECT_TRUE(moves(contiguous(bytes, Named::byte))) << bytes;
  }
  EXPECT_TRUE(moves(contiguous(1001, Named::byte), 100));
}

}  // namespace
}  // namespace typewarp::test
