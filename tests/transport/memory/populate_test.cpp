// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/memory/memory_file.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace typewarp::transport {
namespace {

constexpr std::int64_t page = 4096;
constexpr std::int64_t pages = 8;

int of_an_old_system(void*, std::size_t, int) noexcept {
  errno = EINVAL;
  return -1;
}

int of_a_full_system(void*, std::size_t, int) noexcept {
  errno = ENOMEM;
  return -1;
}

/// Eight mapped pages of a file in memory that has the first `there` of them.
class Mapped {
 public:
  explicit Mapped(std::int64_t there) {
    const int file = memfd_create("typewarp", MFD_CLOEXEC);
    EXPECT_EQ(ftruncate(file, there * page), 0);
    memory_ = mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    EXPECT_NE(memory_, MAP_FAILED);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  ~Mapped() { munmap(memory_, pages * page); }

  std::byte* data() const { return static_cast<std::byte*>(memory_); }
  std::int64_t taken() const {
    std::array<unsigned char, pages> present{};
    EXPECT_EQ(mincore(memory_, pages * page, present.data()), 0);
    return std::ranges::count_if(present, [](unsigned char one) { return (one & 1) != 0; });
  }

 private:
  void* memory_;
};

class Populate : public testing::TestWithParam<Advise*> {};

TEST_P(Populate, TakesThePagesThatItIsAskedFor) {
  const Mapped memory(pages);
  EXPECT_EQ(memory.taken(), 0);
  EXPECT_TRUE(populate(memory.data() + page, 3 * page, GetParam()));
  EXPECT_EQ(memory.taken(), 3);
  EXPECT_TRUE(populate(memory.data(), pages * page, GetParam()));
  EXPECT_EQ(memory.taken(), pages);
  EXPECT_EQ(std::count(memory.data(), memory.data() + pages * page, std::byte{}), pages * page);
}

TEST_P(Populate, SaysWhereThereIsNoPage) {
  const Mapped memory(5);
  EXPECT_TRUE(populate(memory.data(), 5 * page, GetParam()));
  EXPECT_FALSE(populate(memory.data(), 6 * page, GetParam()));
  EXPECT_FALSE(populate(memory.data() + 5 * page, page, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Systems, Populate, testing::Values(&madvise, &of_an_old_system));

TEST(PopulateOfAFullSystem, TriesNothingElse) {
  const Mapped memory(pages);
  EXPECT_FALSE(populate(memory.data(), page, of_a_full_system));
  EXPECT_EQ(memory.taken(), 0);
}

}  // namespace
}  // namespace typewarp::transport
