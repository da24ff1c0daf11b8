// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/exercise.hpp"

#include "hacc/block_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace hacc {
namespace {

/// A task of all ranks, in a file that goes with it.
class HaccFile : public testing::Test {
 protected:
  HaccFile() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    const std::string name =
        "hacc_file_test_" + std::to_string(ranks_);  // runs differ in the number of ranks
    task_ = {3, 100, {ranks_, 1, 1}, name, 1, MPI_COMM_WORLD};
  }
  ~HaccFile() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) std::filesystem::remove(task_.file);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  Block block(std::int64_t index) const {
    return generate(task_.seed, task_.mean_particles, task_.grid, index);
  }

  /// The whole file, after all ranks have closed it.
  std::vector<char> bytes() const {
    MPI_Barrier(MPI_COMM_WORLD);
    std::ifstream file(task_.file, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// What it should be: the table, then the members of all blocks.
  std::vector<char> expected() const {
    std::vector<std::int64_t> table{ranks_, (ranks_ + 2) * std::int64_t{8}};
    for (std::int64_t i = 0; i < ranks_; ++i) {
      table.push_back(table.back() + block(i).bytes());
    }
    const char* head = reinterpret_cast<const char*>(table.data());
    std::vector<char> all(head, head + 8 * table.size());
    for (std::int64_t i = 0; i < ranks_; ++i) {
      const Block held = block(i);
      for (const Member& member : held.members()) {
        const char* data = reinterpret_cast<const char*>(member.data);
        all.insert(all.end(), data, data + member.bytes);
      }
    }
    return all;
  }

  int rank_ = 0;
  int ranks_ = 0;
  Task task_{};
  apps::OwnedStream stream_{false};
};

TEST_F(HaccFile, HasThePackedBlocksWhenTheFloorIsTimed) {
  floor_of(block(rank_), task_, stream_);
  EXPECT_EQ(bytes(), expected());
}

TEST_F(HaccFile, TakesThePlaceOfALongerOne) {
  if (rank_ == 0) std::ofstream(task_.file) << std::string(2 * expected().size(), 'x');
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(exercise(By::hand, block(rank_), task_, stream_).wrong, "");
  EXPECT_EQ(bytes(), expected());
}

/// So that a way that writes nothing is found out, whatever another one has written.
TEST_F(HaccFile, IsEmptyWhenItIsMade) {
  exercise(By::members, block(rank_), task_, stream_);
  { const BlockFile file(task_.file, 0, MPI_COMM_WORLD); }
  EXPECT_EQ(bytes().size(), 8u * static_cast<std::size_t>(ranks_ + 2));
}

TEST_F(HaccFile, ThatCannotBeMadeIsNamedWithTheReason) {
  try {
    const BlockFile file("/nowhere/blocks", 0, MPI_COMM_WORLD);
    FAIL();
  } catch (const std::exception& error) {
    const std::string text = error.what();
    const std::string start = "--file = /nowhere/blocks: cannot be opened: ";
    EXPECT_EQ(text.substr(0, start.size()), start);
    EXPECT_GT(text.size(), start.size());
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace hacc
