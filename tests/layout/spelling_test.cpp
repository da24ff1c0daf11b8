// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/layout.hpp>

#include <gtest/gtest.h>

#include <set>
#include <vector>

/// Different spellings of one regular layout end in one canonical form. Matrices are C-ordered doubles.
namespace typewarp {
namespace {

using List = std::vector<std::int64_t>;

/// The canonical form that all of at least 12 different trees must come to.
struct Form {
  std::string text;

  void of(const std::vector<Datatype>& spellings) const {
    ASSERT_GE(spellings.size(), 12U);
    std::set<std::string> trees;
    for (const Datatype& spelling : spellings) {
      EXPECT_EQ(normalise(spelling).to_string(), text) << spelling;
      trees.insert(spelling.to_string());
    }
    EXPECT_EQ(trees.size(), spellings.size()) << "two spellings are the same tree";
  }
};

List range(std::int64_t count, std::int64_t first, std::int64_t step) {
  List list;
  for (std::int64_t i = 0; i < count; ++i) list.push_back(first + i * step);
  return list;
}

List ones(std::int64_t count) { return List(static_cast<std::size_t>(count), 1); }

List concatenate(const std::vector<List>& lists) {
  List all;
  for (const List& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

const Datatype real = Named::double_;

TEST(Spelling, Row) {
  // Row 2 of a 6 x 10 matrix.
  Form{"at 160: run 80"}.of({
      subarray({6, 10}, {1, 10}, {2, 0}, Order::c, real),
      subarray({10, 6}, {10, 1}, {0, 2}, Order::fortran, real),
      subarray({60}, {10}, {20}, Order::c, real),
      subarray({6}, {1}, {2}, Order::c, contiguous(10, real)),
      indexed({10}, {20}, real),
      indexed({3, 0, 7}, {20, 5, 23}, real),
      indexed_block(1, range(10, 20, 1), real),
      indexed_block(5, {20, 25}, real),
      hindexed({80}, {160}, Named::byte),
      hindexed({1, 1}, {160, 200}, contiguous(5, real)),
      hindexed_block(10, {160}, dup(real)),
      structure({4, 6}, {160, 192}, {real, real}),
      structure({1, 72}, {160, 168}, {real, Named::char_}),
      darray(6, 2, {6, 10}, {Distribution::block, Distribution::none},
             {default_distribution_argument, default_distribution_argument}, {6, 1}, Order::c, real),
      hindexed_block(1, {160}, vector(5, 2, 2, real)),
      hindexed_block(1, {160}, hvector(10, 1, 8, real)),
      hindexed_block(1, {160}, resized(contiguous(10, real), -8, 400)),
  });
}

TEST(Spelling, Column) {
  // Column 3 of a 6 x 10 matrix.
  const Datatype spaced = resized(real, 0, 80);
  Form{"at 24: repeat 6 x stride 80 of run 8"}.of({
      subarray({6, 10}, {6, 1}, {0, 3}, Order::c, real),
      subarray({10, 6}, {1, 6}, {3, 0}, Order::fortran, real),
      subarray({2, 3, 10}, {2, 3, 1}, {0, 0, 3}, Order::c, real),
      hindexed({1}, {24}, vector(6, 1, 10, real)),
      hindexed({1}, {24}, hvector(6, 1, 80, real)),
      hindexed({1}, {24}, hvector(6, 8, 80, Named::byte)),
      hindexed({6}, {24}, spaced),
      hindexed({2, 4}, {24, 184}, spaced),
      hindexed({1}, {24}, contiguous(6, spaced)),
      hindexed({1}, {24}, contiguous(2, contiguous(3, spaced))),
      hindexed({1}, {24}, hvector(2, 1, 240, vector(3, 1, 10, real))),
      indexed(ones(6), range(6, 3, 10), real),
      indexed_block(1, range(6, 3, 10), real),
      hindexed_block(8, range(6, 24, 80), Named::char_),
      structure(ones(6), range(6, 24, 80), std::vector<Datatype>(6, real)),
      structure({2, 0, 4}, {24, 8, 184}, {spaced, real, spaced}),
      darray(10, 3, {6, 10}, {Distribution::none, Distribution::cyclic}, {default_distribution_argument, 1},
             {1, 10}, Order::c, real),
      resized(dup(indexed_block(1, range(6, 3, 10), dup(real))), -100, 7),
  });
}

TEST(Spelling, Face) {
  // The face x = 1 of a z, y, x = 4 x 5 x 6 array, without its first and last line: two levels.
  const List inner = concatenate({range(3, 7, 6), range(3, 37, 6), range(3, 67, 6), range(3, 97, 6)});
  std::vector<std::int64_t> inner_bytes;
  for (const std::int64_t displacement : inner) inner_bytes.push_back(displacement * 8);
  const Datatype short_line = vector(3, 1, 6, real);
  Form{"at 56: repeat 4 x stride 240 of repeat 3 x stride 48 of run 8"}.of({
      subarray({4, 5, 6}, {4, 3, 1}, {0, 1, 1}, Order::c, real),
      subarray({6, 5, 4}, {1, 3, 4}, {1, 1, 0}, Order::fortran, real),
      subarray({4}, {4}, {0}, Order::c, subarray({5, 6}, {3, 1}, {1, 1}, Order::c, real)),
      indexed_block(1, inner, real),
      indexed(ones(12), inner, real),
      hindexed(ones(12), inner_bytes, real),
      hindexed_block(8, inner_bytes, Named::byte),
      hindexed({1}, {56}, hvector(4, 1, 240, short_line)),
      hindexed({1}, {56}, hvector(4, 3, 240, resized(real, 0, 48))),
      hindexed_block(1, {56, 296, 536, 776}, short_line),
      structure({1, 1, 2}, {56, 296, 536}, {short_line, short_line, resized(short_line, 0, 240)}),
      hindexed({4}, {56}, resized(short_line, 0, 240)),
      structure(ones(12), inner_bytes, std::vector<Datatype>(12, real)),
  });
}

TEST(Spelling, FourDimensionalBox) {
  // 2 x 3 x 2 x 3 out of 4 x 5 x 6 x 8, from (1, 1, 2, 4).
  const std::int64_t sy = 8 * 8;
  const std::int64_t sz = 6 * sy;
  const std::int64_t sw = 5 * sz;
  const std::int64_t start = 1 * sw + 1 * sz + 2 * sy + 4 * 8;
  List rows;
  List elements;
  for (std::int64_t w = 0; w < 2; ++w) {
    for (std::int64_t z = 0; z < 3; ++z) {
      for (std::int64_t y = 0; y < 2; ++y) {
        rows.push_back(start + w * sw + z * sz + y * sy);
        for (std::int64_t x = 0; x < 3; ++x) elements.push_back((rows.back() + 8 * x) / 8);
      }
    }
  }
  const Datatype row = contiguous(3, real);
  const Datatype plane = hvector(2, 1, sy, row);
  const Datatype cube = hvector(3, 1, sz, plane);
  const List row_elements = [&rows] {
    List list = rows;
    for (std::int64_t& value : list) value /= 8;
    return list;
  }();
  Form{"at 2464: repeat 2 x stride 1920 of repeat 3 x stride 384 of repeat 2 x stride 64 of run 24"}.of({
      subarray({4, 5, 6, 8}, {2, 3, 2, 3}, {1, 1, 2, 4}, Order::c, real),
      subarray({8, 6, 5, 4}, {3, 2, 3, 2}, {4, 2, 1, 1}, Order::fortran, real),
      subarray({4, 5}, {2, 3}, {1, 1}, Order::c, subarray({6, 8}, {2, 3}, {2, 4}, Order::c, real)),
      subarray({4}, {2}, {1}, Order::c, subarray({5, 6, 8}, {3, 2, 3}, {1, 2, 4}, Order::c, real)),
      hindexed({1}, {start}, hvector(2, 1, sw, cube)),
      hindexed_block(1, {start, start + sw}, cube),
      hindexed_block(1, rows, row),
      hindexed_block(24, rows, Named::byte),
      hindexed_block(3, rows, real),
      indexed_block(3, row_elements, real),
      indexed_block(1, elements, real),
      indexed(ones(36), elements, real),
      structure({1, 1}, {start, start + sw}, {cube, cube}),
      structure(ones(12), rows, std::vector<Datatype>(12, row)),
      hindexed({2}, {start}, resized(hvector(3, 2, sz, resized(row, 0, sy)), 0, sw)),
  });
}

TEST(Spelling, StructArray) {
  // 5 of struct {char; double; int} with 4 bytes of padding at the end.
  const Datatype item = structure({1, 1, 1}, {0, 8, 16}, {Named::char_, Named::double_, Named::int_});
  ASSERT_EQ(item.extent(), 24);
  List lengths;
  List displacements;
  List struct_lengths;
  std::vector<Datatype> members;
  for (std::int64_t i = 0; i < 5; ++i) {
    for (const auto& [displacement, bytes] : {std::pair{0, 1}, {8, 12}}) {
      displacements.push_back(24 * i + displacement);
      lengths.push_back(bytes);
      struct_lengths.push_back(1);
      members.push_back(contiguous(bytes, Named::byte));
    }
  }
  Form{"repeat 5 x stride 24 of blocks 2 at {0, 8} counts {1, 12} x stride 1 of run 1"}.of({
      contiguous(5, item),
      vector(5, 1, 1, item),
      vector(1, 5, 9, item),
      hvector(5, 1, 24, item),
      indexed({5}, {0}, item),
      indexed({2, 0, 3}, {0, 7, 2}, item),
      indexed_block(1, {0, 1, 2, 3, 4}, item),
      hindexed({1, 4}, {0, 24}, item),
      hindexed(lengths, displacements, Named::byte),
      structure(struct_lengths, displacements, members),
      structure({2, 3}, {0, 48}, {item, item}),
      subarray({5}, {5}, {0}, Order::c, item),
      contiguous(5, resized(structure({1, 3}, {0, 8}, {Named::byte, Named::float_}), 0, 24)),
      contiguous(5, dup(structure({1, 1}, {0, 8},
                                  {Named::char_, structure({1, 1}, {0, 8}, {Named::double_, Named::int_})}))),
      darray(1, 0, {5}, {Distribution::cyclic}, {1}, {1}, Order::fortran, item),
  });
}

TEST(Spelling, IndexedGather) {
  // Four blocks of three floats at uneven places.
  const List starts = {40, 3, 11, 70};
  List bytes;
  List elements;
  for (const std::int64_t start : starts) {
    bytes.push_back(4 * start);
    for (std::int64_t i = 0; i < 3; ++i) elements.push_back(start + i);
  }
  const Datatype triple = contiguous(3, Named::float_);
  const List threes(4, 3);
  const List twelves(4, 12);
  Form{"at 160: blocks 4 at {0, -148, -116, 120} of run 12"}.of({
      indexed(threes, starts, Named::float_),
      hindexed(threes, bytes, Named::float_),
      hindexed(twelves, bytes, Named::byte),
      hindexed(ones(4), bytes, triple),
      indexed_block(3, starts, Named::float_),
      indexed_block(1, elements, Named::float_),
      hindexed_block(3, bytes, Named::float_),
      hindexed_block(1, bytes, triple),
      hindexed_block(12, bytes, Named::char_),
      indexed(ones(12), elements, Named::float_),
      indexed({3, 0, 3, 2, 1, 3}, {40, 1000, 3, 11, 13, 70}, Named::float_),
      structure(ones(4), bytes, std::vector<Datatype>(4, triple)),
      structure({3, 3, 1, 3}, {160, 12, 44, 280}, {Named::float_, Named::int_, triple, Named::float_}),
      structure({1, 1}, {0, 0},
                {indexed({3, 3, 3}, {40, 3, 11}, Named::float_), hindexed({3}, {280}, Named::float_)}),
      hindexed_block(1, bytes, resized(dup(triple), 0, 64)),
      resized(contiguous(1, indexed(threes, starts, Named::float_)), 0, 4096),
  });
}

}  // namespace
}  // namespace typewarp
