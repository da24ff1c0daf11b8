// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/pattern.hpp"

#include "schedule/messages/message_memory.hpp"
#include "support/expect_invalid.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace typewarp::halo {
namespace {

constexpr PointerInfo pageable{MemoryKind::host, -1};
constexpr PointerInfo pinned{MemoryKind::pinned, -1};
constexpr PointerInfo managed{MemoryKind::managed, 2};
constexpr PointerInfo on_first{MemoryKind::device, 0};
constexpr PointerInfo on_second{MemoryKind::device, 1};

int device(const std::vector<PointerInfo>& memory) { return device_of(memory); }

TEST(HaloMemory, BelongsToTheDeviceThatHasTheFields) {
  EXPECT_EQ(device({pageable, pinned}), -1);
  EXPECT_EQ(device({pinned, on_second, pageable}), 1);
  EXPECT_EQ(device({pageable, managed}), 2);
  EXPECT_EQ(device({managed, on_first, on_first}), 0);
}

TEST(HaloMemory, IsRefusedWhereSeveralDevicesHaveFields) {
  EXPECT_EQ(test::invalid_argument([] { device({pageable, on_first, managed, on_second}); }),
            "fields[3].data");
}

TEST(HaloMemory, ComparesDevicesOfTheirOwnMemoryOnly) {
  EXPECT_TRUE(is_same(on_first, on_first));
  EXPECT_FALSE(is_same(on_first, on_second));
  EXPECT_FALSE(is_same(pageable, pinned));
  EXPECT_TRUE(is_same(managed, {MemoryKind::managed, 0}));
}

TEST(HaloMemory, OfABufferStaysWhenItIsAbandoned) {
  schedule::Buffer buffer(4, -1, false);
  std::byte* const data = buffer.data();
  buffer.abandon();
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_NE(schedule::Buffer(4, -1, false).data(), data);  // the pool would give it again
  std::memset(data, 1, 4);
}

}  // namespace
}  // namespace typewarp::halo
