// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The examples of docs/guide/packing.md, between the markers, and tests that they do what it says.
// [calls]
#include <typewarp/engine.hpp>

// Column 7 of an n x n matrix becomes column 2 of another; `packed` has room for n numbers.
void move_column(const double* matrix, double* other, std::int64_t n, double* packed,
                 typewarp::Stream stream) {
  const typewarp::Datatype column = typewarp::vector(n, 1, n, typewarp::Named::double_);
  const typewarp::Plan plan = typewarp::commit(column);
  typewarp::pack(matrix + 7, 1, plan, packed, stream);   // gather
  typewarp::unpack(packed, other + 2, 1, plan, stream);  // scatter
}
// [/calls]

// [arrays]
#include <typewarp/strided_view.hpp>

// Every second row of an array of rows x columns numbers, first element after first, to `packed`.
void pack_half(const float* numbers, std::int64_t rows, std::int64_t columns, std::span<float> packed,
               typewarp::Stream stream) {
  const typewarp::StridedView half(numbers, {rows / 2, columns}, {2 * columns, 1});
  typewarp::pack(half, packed, stream);
}
// [/arrays]

// [persistent]
#include <typewarp/persistent.hpp>

// Brings column 7 of an n x n matrix on the device to pinned memory, after every step.
template <typename Compute, typename Use>
void watch(const double* matrix, std::int64_t n, double* column, int steps, typewarp::Stream stream,
           Compute compute, Use use) {
  const typewarp::Plan plan = typewarp::commit(typewarp::vector(n, 1, n, typewarp::Named::double_));
  typewarp::Persistent pack = typewarp::Persistent::pack_init(matrix + 7, 1, plan, column);
  for (int step = 0; step < steps; ++step) {
    compute(stream);     // enqueues kernels that change the matrix
    pack.start(stream);  // behind them
    pack.wait();         // spins until the host may read the column
    use(column);
  }
}
// [/persistent]

// [batch]
#include <typewarp/batch.hpp>

// The first and last row and column of an n x n matrix, one after the other in `packed`.
typewarp::Batch border(double* matrix, std::int64_t n, double* packed) {
  const typewarp::Plan row = typewarp::commit(typewarp::contiguous(n, typewarp::Named::double_));
  const typewarp::Plan column = typewarp::commit(typewarp::vector(n, 1, n, typewarp::Named::double_));
  const std::int64_t bytes = row.size();
  const typewarp::Piece pieces[] = {{matrix, 1, row, 0},
                                    {matrix + (n - 1) * n, 1, row, bytes},
                                    {matrix, 1, column, 2 * bytes},
                                    {matrix + n - 1, 1, column, 3 * bytes}};
  return typewarp::Batch(pieces, packed);  // keeps the plans; then border.pack(stream) as often as needed
}
// [/batch]

// [indexed]
#include <typewarp/indexed_copy.hpp>

// Moves pages of `bytes` bytes, of the keys and the values of a layer: then copy.copy(from, to, count,
// stream), with lists that may be in device memory.
typewarp::IndexedCopy page_copy(void* keys, void* values, std::int64_t pages, std::int64_t bytes) {
  const typewarp::Plan page = typewarp::commit(typewarp::contiguous(bytes, typewarp::Named::byte));
  const typewarp::ItemArray caches[] = {{keys, pages, bytes, page}, {values, pages, bytes, page}};
  return {caches, caches};
}
// [/indexed]

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace {

constexpr std::int64_t n = 20;

std::size_t at(std::int64_t row, std::int64_t column) { return static_cast<std::size_t>(row * n + column); }

TEST(PackingExample, MovesTheColumnAndNothingElse) {
  std::vector<double> matrix(n * n);
  std::iota(matrix.begin(), matrix.end(), 1.0);
  std::vector<double> other(n * n);
  std::vector<double> expected(n * n);
  for (std::int64_t i = 0; i < n; ++i) expected[at(i, 2)] = matrix[at(i, 7)];
  std::vector<double> packed(n);
  move_column(matrix.data(), other.data(), n, packed.data(), nullptr);
  EXPECT_EQ(other, expected);
}

TEST(PackingExample, PacksEverySecondRow) {
  constexpr std::int64_t rows = 6, columns = 5;
  std::vector<float> numbers(rows * columns);
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  std::vector<float> packed(rows / 2 * columns);
  pack_half(numbers.data(), rows, columns, packed, nullptr);
  for (std::int64_t i = 0; i < rows / 2 * columns; ++i) {
    EXPECT_EQ(packed[static_cast<std::size_t>(i)],
              static_cast<float>(i / columns * 2 * columns + i % columns));
  }
}

TEST(PackingExample, PersistentBringsTheColumnAfterEveryStep) {
  std::vector<double> matrix(n * n);
  std::vector<double> column(n);
  int uses = 0;
  watch(
      matrix.data(), n, column.data(), 3, nullptr,
      [&](typewarp::Stream) { std::iota(matrix.begin(), matrix.end(), 1000.0 * uses); },
      [&](const double* packed) {
        for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(packed[i], matrix[at(i, 7)]) << i;
        EXPECT_EQ(packed[0], 1000.0 * uses + 7);
        ++uses;
      });
  EXPECT_EQ(uses, 3);
}

TEST(PackingExample, BatchPacksAndUnpacksTheBorder) {
  std::vector<double> matrix(n * n);
  std::iota(matrix.begin(), matrix.end(), 1.0);
  std::vector<double> packed(4 * n);
  border(matrix.data(), n, packed.data()).pack(nullptr);
  std::vector<double> expected(n * n);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::size_t places[] = {at(0, i), at(n - 1, i), at(i, 0), at(i, n - 1)};
    for (std::size_t side = 0; side < 4; ++side) {
      EXPECT_EQ(packed[side * n + static_cast<std::size_t>(i)], matrix[places[side]]) << side << ' ' << i;
      expected[places[side]] = matrix[places[side]];
    }
  }
  std::vector<double> other(n * n);
  border(other.data(), n, packed.data()).unpack(nullptr);
  EXPECT_EQ(other, expected);
}

TEST(PackingExample, MovesPagesOfKeysAndValues) {
  std::vector<std::int64_t> keys{1, 2, 3}, values{4, 5, 6};
  const std::int32_t from[] = {2}, to[] = {0};
  page_copy(keys.data(), values.data(), 3, 8).copy(from, to, 1);
  EXPECT_EQ(keys, (std::vector<std::int64_t>{3, 2, 3}));
  EXPECT_EQ(values, (std::vector<std::int64_t>{6, 5, 6}));
}

}  // namespace
