// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/memory_file.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace typewarp {
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

TEST(MemoryFile, IsFoundWhereAProcessHasItOpen) {
  FileDescriptor file = make_memory_file(page);
  const FilePlace place = place_of(file);
  EXPECT_TRUE(is_open_at(place));
  const FileDescriptor again = open_memory_file(place, page);
  ASSERT_TRUE(again);
  EXPECT_EQ(place_of(again).inode, place.inode);
  EXPECT_FALSE(open_memory_file(place, page + 1));  // it is shorter

  FilePlace of_another = place;
  ++of_another.inode;
  EXPECT_FALSE(open_memory_file(of_another, page));
  EXPECT_FALSE(is_open_at(of_another));
  file = FileDescriptor();
  EXPECT_FALSE(is_open_at(place));
  EXPECT_FALSE(open_memory_file(place, page));
  EXPECT_EQ(place_of(file), FilePlace());
}

TEST(MemoryFile, GoesWithItsProcess) {
  std::array<int, 2> told{};
  std::array<int, 2> may_end{};
  ASSERT_EQ(pipe(told.data()), 0);
  ASSERT_EQ(pipe(may_end.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const FileDescriptor file = make_memory_file(page);
    const FilePlace place = place_of(file);
    char end = 0;
    const bool done = write(told[1], &place, sizeof place) == sizeof place && read(may_end[0], &end, 1) == 1;
    _exit(done ? 0 : 1);
  }
  FilePlace place{};
  ASSERT_EQ(read(told[0], &place, sizeof place), static_cast<ssize_t>(sizeof place));
  const FileDescriptor file = open_memory_file(place, page);
  EXPECT_TRUE(file);
  EXPECT_TRUE(is_open_at(place));
  ASSERT_EQ(write(may_end[1], "", 1), 1);
  siginfo_t how{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &how, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(is_open_at(place));  // though nobody has reaped it
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  for (const int end : {told[0], told[1], may_end[0], may_end[1]}) close(end);
}

}  // namespace
}  // namespace typewarp
