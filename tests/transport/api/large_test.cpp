// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages beyond the 2^31 - 1 bytes that an int counts. They need 12 GiB of free memory.

#include "transport/fixture.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
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
constexpr std::int64_t word = sizeof(std::uint64_t);

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

/// Words, since each byte alone would take most of the test's time. The bytes are theirs.
std::unique_ptr<std::uint64_t[]> memory(std::int64_t size) {
  return std::make_unique_for_overwrite<std::uint64_t[]>(static_cast<std::size_t>(size + word - 1) / word);
}

std::uint64_t value(std::int64_t i) { return static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15U; }
std::uint64_t& at(const std::unique_ptr<std::uint64_t[]>& buffer, std::int64_t i) {
  return buffer[static_cast<std::size_t>(i)];
}

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
    for (std::int64_t i = 0; i * word < bytes; ++i) at(buffer, i) = value(i);
    send(buffer.get(), bytes, plan, 1, tag, comm_, nullptr);
  } else {
    const Status status = recv(buffer.get(), bytes, plan, 0, tag, comm_, nullptr);
    EXPECT_EQ(status.bytes, bytes);
    EXPECT_EQ(status.count(plan), bytes);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < bytes / word; ++i) wrong += at(buffer, i) != value(i);
    EXPECT_EQ(wrong, 0);
    const std::uint64_t last = value(bytes / word);
    EXPECT_EQ(std::memcmp(&at(buffer, bytes / word), &last, bytes % word), 0);
  }
}

TEST_F(Large, StagedAndShorterThanTheRoomForIt) {
  // Rows of 4096 bytes with 8 bytes between them; the receiver has room for one more.
  constexpr std::int64_t row = 4096;
  constexpr std::int64_t pitch = row + 8;
  constexpr std::int64_t rows = bytes / row + 1;
  const Plan sent = commit(hvector(rows, row, pitch, Named::byte));
  const Plan room = commit(hvector(rows + 1, row, pitch, Named::byte));
  constexpr std::int64_t size = (rows + 1) * pitch;
  static_assert(row % word == 0 && pitch % word == 0);
  const auto buffer = memory(size);
  if (rank_ == 0) {
    for (std::int64_t i = 0; i < size / word; ++i) at(buffer, i) = value(i);
    send(buffer.get(), 1, sent, 1, tag, comm_, nullptr);
  } else {
    constexpr std::uint64_t untouched = 0xeeeeeeeeeeeeeeee;
    std::fill_n(buffer.get(), size / word, untouched);
    const Status status = recv(buffer.get(), 1, room, 0, tag, comm_, nullptr);
    EXPECT_EQ(status.bytes, rows * row);
    EXPECT_EQ(status.count(room), MPI_UNDEFINED);
    EXPECT_EQ(status.elements(room), rows * row);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i <= rows; ++i) {
      for (std::int64_t j = i * pitch / word; j < (i + 1) * pitch / word; ++j) {
        const bool data = i < rows && j < (i * pitch + row) / word;
        wrong += at(buffer, j) != (data ? value(j) : untouched);
      }
    }
    EXPECT_EQ(wrong, 0);
  }
}

}  // namespace
}  // namespace typewarp
