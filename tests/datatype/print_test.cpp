// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/datatype.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <sstream>

namespace typewarp::test {
namespace {

TEST(Print, NamedTypesPrintTheirName) {
  EXPECT_EQ(Datatype(Named::double_int).to_string(), "MPI_DOUBLE_INT (size 12, extent 16)");
}

TEST(Print, OneConstructorALineChildrenIndented) {
  const Datatype column = vector(3, 1, 8, Named::double_);
  EXPECT_EQ(hvector(2, 1, 8, column).to_string(),
            "hvector count 2, blocklength 1, stride 8 (size 48, extent 144)\n"
            "  vector count 3, blocklength 1, stride 8 (size 24, extent 136)\n"
            "    MPI_DOUBLE (size 8, extent 8)");
}

TEST(Print, StructsListTheirMembers) {
  EXPECT_EQ(structure({1, 2}, {0, 8}, {Named::double_, contiguous(2, Named::char_)}).to_string(),
            "struct count 2, blocklengths [1, 2], displacements [0, 8] (size 12, extent 16)\n"
            "  MPI_DOUBLE (size 8, extent 8)\n"
            "  contiguous count 2 (size 2, extent 2)\n"
            "    MPI_CHAR (size 1, extent 1)");
}

TEST(Print, ALowerBoundOtherThanZeroIsShown) {
  EXPECT_EQ(resized(dup(Named::byte), -3, 9).to_string(),
            "resized lb -3, extent 9 (size 1, lb -3, extent 9)\n"
            "  dup (size 1, extent 1)\n"
            "    MPI_BYTE (size 1, extent 1)");
}

TEST(Print, ListConstructors) {
  const std::string child = "\n  MPI_BYTE (size 1, extent 1)";
  EXPECT_EQ(indexed({1, 2}, {5, 0}, Named::byte).to_string(),
            "indexed count 2, blocklengths [1, 2], displacements [5, 0] (size 3, extent 6)" + child);
  EXPECT_EQ(hindexed({}, {}, Named::byte).to_string(),
            "hindexed count 0, blocklengths [], displacements [] (size 0, extent 0)" + child);
  EXPECT_EQ(indexed_block(2, {4}, Named::byte).to_string(),
            "indexed_block count 1, blocklength 2, displacements [4] (size 2, lb 4, extent 2)" + child);
  EXPECT_EQ(hindexed_block(2, {0, 4}, Named::byte).to_string(),
            "hindexed_block count 2, blocklength 2, displacements [0, 4] (size 4, extent 6)" + child);
}

TEST(Print, Arrays) {
  EXPECT_EQ(subarray({4, 5}, {2, 3}, {1, 1}, Order::fortran, Named::int_).to_string(),
            "subarray dimensions 2, sizes [4, 5], subsizes [2, 3], starts [1, 1], order fortran "
            "(size 24, extent 80)\n"
            "  MPI_INT (size 4, extent 4)");
  EXPECT_EQ(darray(6, 4, {5, 7}, {Distribution::block, Distribution::cyclic},
                   {default_distribution_argument, 2}, {2, 3}, Order::c, Named::byte)
                .to_string(),
            "darray rank 4 of 6, global sizes [5, 7], distributions [block, cyclic], arguments [-1, 2], "
            "process sizes [2, 3], order c (size 4, extent 35)\n"
            "  MPI_BYTE (size 1, extent 1)");
}

TEST(Print, LongListsAreAbridged) {
  std::vector<std::int64_t> displacements(1000);
  std::iota(displacements.begin(), displacements.end(), 0);
  EXPECT_EQ(
      indexed_block(1, displacements, Named::byte).to_string(),
      "indexed_block count 1000, blocklength 1, displacements [0, 1, 2, 3, 4, 5, 6, 7, ... 1000 in all] "
      "(size 1000, extent 1000)\n"
      "  MPI_BYTE (size 1, extent 1)");
  const std::string text = structure(std::vector<std::int64_t>(9, 1), {0, 1, 2, 3, 4, 5, 6, 7, 8},
                                     std::vector<Datatype>(9, Named::byte))
                               .to_string();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 9);
  EXPECT_NE(text.find("\n  ... 9 members in all"), std::string::npos) << text;
}

TEST(Print, StreamsPrintTheSame) {
  std::ostringstream out;
  out << contiguous(3, Named::int_);
  EXPECT_EQ(out.str(), contiguous(3, Named::int_).to_string());
}

}  // namespace
}  // namespace typewarp::test
