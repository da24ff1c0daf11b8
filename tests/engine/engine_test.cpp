// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/engine.hpp>

#include "engine/calls.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace typewarp {
namespace {

using test::counting;
using test::message_of;
using test::no_stream;

TEST(Engine, PacksAColumn) {
  const Plan column = commit(vector(3, 1, 4, Named::int_));
  const auto matrix = counting(12);
  std::array<std::int32_t, 3> packed{};
  pack(matrix.data() + 1, 1, column, packed.data(), no_stream);
  EXPECT_EQ(packed, (std::array<std::int32_t, 3>{2, 6, 10}));
}

TEST(Engine, UnpacksARangeAndTouchesNothingElse) {
  const Plan column = commit(vector(3, 1, 4, Named::int_));
  std::vector<std::int32_t> matrix(12, -1);
  const std::int32_t packed = 7;
  unpack(&packed, matrix.data(), 1, column, {4, 8}, no_stream);
  EXPECT_EQ(matrix, (std::vector<std::int32_t>{-1, -1, -1, -1, 7, -1, -1, -1, -1, -1, -1, -1}));
}

TEST(Engine, CopiesLayoutToLayout) {
  const Plan column = commit(vector(3, 1, 4, Named::int_));
  const Plan row = commit(contiguous(3, Named::int_));
  const auto matrix = counting(12);
  std::vector<std::int32_t> line(3);
  copy(matrix.data(), 1, column, line.data(), 1, row, no_stream);
  EXPECT_EQ(line, (std::vector<std::int32_t>{1, 5, 9}));
  copy(matrix.data() + 1, 1, column, line.data(), 1, row, {8, 12}, no_stream);
  EXPECT_EQ(line, (std::vector<std::int32_t>{1, 5, 10}));
}

TEST(Engine, TakesAbsoluteAddresses) {
  std::array<double, 2> first{1, 2};
  double second = 3;
  const auto address = [](const void* p) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(p));
  };
  const Plan plan = commit(hindexed({2, 1}, {address(first.data()), address(&second)}, Named::double_));
  std::array<double, 3> packed{};
  pack(nullptr, 1, plan, packed.data(), no_stream);
  EXPECT_EQ(packed, (std::array<double, 3>{1, 2, 3}));
}

TEST(Engine, MovesNothingForNothing) {
  const Plan plan = commit(vector(3, 1, 4, Named::int_));
  const Plan empty = commit(contiguous(0, Named::int_));
  EXPECT_NO_THROW(pack(nullptr, 0, plan, nullptr, no_stream));
  EXPECT_NO_THROW(unpack(nullptr, nullptr, 5, empty, no_stream));
  EXPECT_NO_THROW(pack(nullptr, 1, plan, nullptr, {4, 4}, no_stream));
  EXPECT_NO_THROW(copy(nullptr, 0, plan, nullptr, 7, empty, no_stream));
}

TEST(Engine, NamesWhatIsWrong) {
  const Plan plan = commit(vector(3, 1, 4, Named::int_));
  std::array<std::int32_t, 12> user{};
  std::array<std::int32_t, 3> packed{};
  EXPECT_EQ(message_of([&] { pack(user.data(), -3, plan, packed.data(), no_stream); }),
            "typewarp::pack: count = -3: must not be negative");
  EXPECT_EQ(message_of([&] { unpack(packed.data(), user.data(), -1, plan, {0, 0}, no_stream); }),
            "typewarp::unpack: count = -1: must not be negative");
  EXPECT_EQ(message_of([&] { pack(user.data(), 1, plan, packed.data(), {0, 13}, no_stream); }),
            "typewarp::pack: range = [0, 13): must lie in [0, 12)");
  EXPECT_EQ(message_of([&] { pack(user.data(), 1, plan, packed.data(), {-1, 4}, no_stream); }),
            "typewarp::pack: range = [-1, 4): must lie in [0, 12)");
  EXPECT_EQ(message_of([&] { unpack(packed.data(), user.data(), 1, plan, {8, 4}, no_stream); }),
            "typewarp::unpack: range = [8, 4): must lie in [0, 12)");
  EXPECT_EQ(message_of([&] { pack(user.data(), 1, plan, nullptr, no_stream); }),
            "typewarp::pack: packed = null: must not be null");
  EXPECT_EQ(message_of([&] { unpack(nullptr, user.data(), 1, plan, no_stream); }),
            "typewarp::unpack: packed = null: must not be null");
}

TEST(Engine, NamesWhatIsWrongWithACopy) {
  const Plan plan = commit(vector(3, 1, 4, Named::int_));
  std::array<std::int32_t, 24> from{};
  std::array<std::int32_t, 24> to{};
  EXPECT_EQ(message_of([&] { copy(from.data(), -1, plan, to.data(), 1, plan, no_stream); }),
            "typewarp::copy: source_count = -1: must not be negative");
  EXPECT_EQ(message_of([&] { copy(from.data(), 1, plan, to.data(), -2, plan, no_stream); }),
            "typewarp::copy: destination_count = -2: must not be negative");
  EXPECT_EQ(message_of([&] { copy(from.data(), 1, plan, to.data(), 2, plan, no_stream); }),
            "typewarp::copy: destination_count = 2: must make as many bytes as the source's 12, not 24");
  EXPECT_EQ(message_of([&] { copy(from.data(), 2, plan, to.data(), 1, plan, {0, 24}, no_stream); }),
            "typewarp::copy: range = [0, 24): must lie in [0, 12)");
}

TEST(Engine, RefusesToCopyWithoutGapsIntoWhatIsRead) {
  const Plan number = commit(Named::int_), row = commit(contiguous(4, Named::int_));
  auto memory = counting(100'000);
  std::int32_t* const x = memory.data();
  for (const std::int64_t n : {4, 99'996}) {
    const auto text = message_of([&] { copy(x, n, number, x + 1, n, number, no_stream); });
    EXPECT_NE(std::string::npos, text.find("typewarp::copy: destination = 0x")) << text;
    EXPECT_NE(std::string::npos, text.find("must not overlap the bytes that are read")) << text;
    EXPECT_THROW(copy(x + 1, n, number, x, n / 4, row, no_stream), InvalidArgument);
    EXPECT_THROW(pack(x, n, number, x + n - 1, no_stream), InvalidArgument);
    EXPECT_THROW(unpack(x, x + 3, n / 4, row, no_stream), InvalidArgument);
  }
  EXPECT_EQ(counting(100'000), memory);
  copy(x, 4, number, x, 1, row, no_stream);  // onto itself
  pack(x, 0, number, x + 1, no_stream);
  copy(x, 4, number, x + 4, 4, number, no_stream);
  EXPECT_EQ((std::vector<std::int32_t>{1, 2, 3, 4, 1, 2, 3, 4, 9}), std::vector<std::int32_t>(x, x + 9));
  const Plan column = commit(vector(4, 1, 2, Named::int_));  // whose elements lie between each other
  copy(x, 1, column, x + 1, 1, column, no_stream);
  EXPECT_EQ(x[1], x[0]);
}

TEST(Engine, AcceptsMoreItemsThanFit64BitsOfBytes) {
  const Plan plan = commit(vector(3, 1, 4, Named::int_));
  const auto user = counting(12);
  std::int32_t packed = 0;
  pack(user.data(), std::numeric_limits<std::int64_t>::max(), plan, &packed, {4, 8}, no_stream);
  EXPECT_EQ(packed, 5);
}

TEST(Engine, RefusesToMoveAllOfThem) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const Plan plan = commit(Named::double_);
  const Plan longer = commit(contiguous(2, Named::double_));
  double user = 1;
  double other = 2;
  const std::string too_many =
      "count = 9223372036854775807: times the size of the plan's datatype must fit 64 bits";
  EXPECT_EQ(message_of([&] { pack(&user, most, plan, &other, no_stream); }), "typewarp::pack: " + too_many);
  EXPECT_EQ(message_of([&] { unpack(&user, &other, most, plan, no_stream); }),
            "typewarp::unpack: " + too_many);
  EXPECT_EQ(message_of([&] { copy(&user, most, plan, &other, most, longer, no_stream); }),
            "typewarp::copy: source_" + too_many);
  EXPECT_EQ(message_of([&] { copy(&user, 1, plan, &other, most, longer, no_stream); }),
            "typewarp::copy: destination_" + too_many);
  const Plan nothing = commit(contiguous(0, Named::double_));
  EXPECT_NO_THROW(pack(&user, most, nothing, &other, no_stream));
}

TEST(Engine, CallsOrdinaryMemoryHost) {
  const int local = 0;
  EXPECT_EQ(pointer_info(&local).kind, MemoryKind::host);
  EXPECT_EQ(pointer_info(&local).device, -1);
  EXPECT_EQ(pointer_info(nullptr).kind, MemoryKind::host);
}

TEST(Engine, NamesMemoryKinds) {
  EXPECT_EQ(name(MemoryKind::host), "host");
  EXPECT_EQ(name(MemoryKind::pinned), "pinned");
  EXPECT_EQ(name(MemoryKind::managed), "managed");
  EXPECT_EQ(name(MemoryKind::device), "device");
}

TEST(Engine, HasNoGpuWithoutCuda) {
  if (!built_with_gpu()) {
    EXPECT_FALSE(gpu_present());
  }
}

}  // namespace
}  // namespace typewarp
