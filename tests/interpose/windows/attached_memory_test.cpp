// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/attached_memory.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdint>
#include <span>
#include <vector>

namespace typewarp::interpose {
namespace {

class AttachedMemoriesTest : public testing::Test {
 protected:
  /// What all ranks of the window have mapped, as another process sees it.
  std::span<std::uint64_t> words() {
    if (words_.empty()) {
      struct stat about{};
      fstat(file_.get(), &about);
      const auto length = static_cast<std::size_t>(about.st_size);
      void* const mapped = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
      words_ = {static_cast<std::uint64_t*>(mapped), length / sizeof(std::uint64_t)};
    }
    return words_;
  }
  ~AttachedMemoriesTest() override {
    if (!words_.empty()) munmap(words_.data(), words_.size_bytes());
  }

  static constexpr std::int64_t bytes = 1000;
  char byte_ = 0;
  WindowFile file_{MPI_COMM_SELF};
  AttachedMemories memories_{MPI_COMM_SELF, file_, {reinterpret_cast<std::uintptr_t>(&byte_), 0, 1}};
  gpu::SharedMemory memory_{gpu::SharedMemory::Kind::ipc, {1, 2}, 3, 4, 2 * bytes, bytes, {}, {}};
  std::vector<char> place_ = std::vector<char>(bytes);

 private:
  std::span<std::uint64_t> words_;
};

TEST_F(AttachedMemoriesTest, ListsWhatIsAttached) {
  const std::uint64_t before = memories_.version_of(0);
  memories_.add(place_.data(), bytes, &memory_);
  memories_.add(&byte_, 1, nullptr);
  EXPECT_NE(memories_.version_of(0), before);
  AttachedMemories::Listing listing = memories_.read(0);
  ASSERT_EQ(listing.all.size(), 2U);
  EXPECT_TRUE(listing.is_complete && listing.had_a_devices);
  EXPECT_EQ(listing.all[0].base, reinterpret_cast<std::uintptr_t>(place_.data()));
  EXPECT_EQ(listing.all[0].bytes, bytes);
  memories_.remove(place_.data());
  listing = memories_.read(0);
  ASSERT_EQ(listing.all.size(), 1U);
  EXPECT_EQ(listing.all[0].is_a_devices, 0);
}

// It has told of nothing since, and what was there before is whole.
TEST_F(AttachedMemoriesTest, ReadEndsWhereTheWriterHasDiedAtIt) {
  memories_.add(place_.data(), bytes, &memory_);
  for (int i = 0; i < 2; ++i) {
    ++words()[0];
    EXPECT_EQ(memories_.read(0).all.size(), 1U);
  }
}

TEST_F(AttachedMemoriesTest, ReadLeavesOutWhatCannotBe) {
  test::Random random(1);
  memories_.add(place_.data(), bytes, &memory_);
  for (int round = 0; round < 50; ++round) {
    for (std::size_t i = 2; i < 4000; ++i) words()[i] = random.one_in(2) ? random.next() : random.next() % 3;
    for (const AttachedMemory& memory : memories_.read(0).all) {
      EXPECT_NE(memory.number, 0U);
      EXPECT_GE(memory.bytes, 0);
      EXPECT_GE(memory.base + static_cast<std::uint64_t>(memory.bytes), memory.base);
      if (memory.is_a_devices != 0) {
        EXPECT_GE(memory.memory.offset, 0);
        EXPECT_LE(memory.memory.offset, memory.memory.size - memory.bytes);
      }
    }
  }
}

}  // namespace
}  // namespace typewarp::interpose
