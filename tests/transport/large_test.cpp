// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages beyond the 2^31 - 1 bytes that an int counts. They need 12 GiB of free memory.

#include "transport/fixture.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <memory>
#include <string>

namespace typewarp {
namespace {

using test::Session;

constexpr int tag = 1;
constexpr std::int64_t gibibyte = std::int64_t{1} << 30;
constexpr std::int64_t needed = 12 * gibibyte;
constexpr std::int64_t bytes = 2 * gibibyte + 4099;
static_assert(bytes > std::numeric_limits<int>::max());

std::int64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::int64_t kibibytes = 0;
  std::string unit;
  while (file >> name >> kibibytes && std::getline(file, unit)) {
    if (name == "MemAvailable:") return kibibytes * 1024;
  }
  return 0;
}

std::unique_ptr<std::byte[]> memory(std::int64_t size) {
  return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(size));
}

std::byte value(std::int64_t i) { return static_cast<std::byte>((i * 2654435761) >> 11); }

class Large : public Session {
 protected:
  void SetUp() override {
    Session::SetUp();
    const std::int64_t here = available_memory();
    std::int64_t least = 0;
    MPI_Allreduce(&here, &least, 1, MPI_INT64_T, MPI_MIN, comm_);
    if (least < needed) GTEST_SKIP() << "needs " << needed / gibibyte << " GiB of free memory";
    if (ranks_ != 2) GTEST_SKIP() << "needs 2 ranks, neither more nor less";
  }
};

TEST_F(Large, InPlace) {
  const Plan plan = commit(Named::byte);
  const auto buffer = memory(bytes);
  if (rank_ == 0) {
    for (std::int64_t i = 0; i < bytes; ++i) buffer[static_cast<std::size_t>(i)] = value(i);
    send(buffer.get(), bytes, plan, 1, tag, comm_, nullptr);
  } else {
    const Status status = recv(buffer.get(), bytes, plan, 0, tag, comm_, nullptr);
    EXPECT_EQ(status.bytes, bytes);
    EXPECT_EQ(status.count(plan), bytes);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < bytes; ++i) wrong += buffer[static_cast<std::size_t>(i)] != value(i);
    EXPECT_EQ(wrong, 0);
  }
}

TEST_F(Large, StagedAndShorterThanTheRoomForIt) {
  // Rows of 4096 bytes with 8 bytes between them; the receiver has room for one more.
  constexpr std::int64_t row = 4096;
  constexpr std::int64_t pitch = row + 8;
  constexpr std::int64_t rows = bytes / row + 1;
  const Plan sent = commit(hvector(rows, row, pitch, Named::byte));
  const Plan room = commit(hvector(rows + 1, row, pitch, Named::byte));
  const auto buffer = memory((rows + 1) * pitch);
  if (rank_ == 0) {
    for (std::int64_t i = 0; i < (rows + 1) * pitch; ++i) buffer[static_cast<std::size_t>(i)] = value(i);
    send(buffer.get(), 1, sent, 1, tag, comm_, nullptr);
  } else {
    std::fill_n(buffer.get(), (rows + 1) * pitch, std::byte{0xee});
    const Status status = recv(buffer.get(), 1, room, 0, tag, comm_, nullptr);
    EXPECT_EQ(status.bytes, rows * row);
    EXPECT_EQ(status.count(room), MPI_UNDEFINED);
    EXPECT_EQ(status.elements(room), rows * row);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < (rows + 1) * pitch; ++i) {
      const bool data = i % pitch < row && i / pitch < rows;
      wrong += buffer[static_cast<std::size_t>(i)] != (data ? value(i) : std::byte{0xee});
    }
    EXPECT_EQ(wrong, 0);
  }
}

}  // namespace
}  // namespace typewarp
