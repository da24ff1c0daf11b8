// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/contributions.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace typewarp::test {
namespace {

constexpr std::int64_t rows = 5;
constexpr std::int64_t columns = 4;
constexpr halo::Descriptor row_halo{2, 1, 2, 2 + rows, 2 + rows + 1};
constexpr halo::Descriptor column_halo{1, 3, 1, 1 + columns, 1 + columns + 3};

/// What a process has at a place, halo or not.
std::int64_t value(int rank, std::int64_t i, std::int64_t j, std::int64_t number) {
  const std::int64_t mixed = (rank + 3) * 7919 + i * 104729 + j * 1299709 + number * 15485863;
  return mixed % 1009 - 500;
}

std::int64_t combined(Operation operation, std::int64_t a, std::int64_t b) {
  switch (operation) {
    case Operation::sum:
      return a + b;
    case Operation::min:
      return std::min(a, b);
    case Operation::max:
      return std::max(a, b);
    case Operation::bxor:
      return a ^ b;
    default:
      ADD_FAILURE() << name(operation) << " has no oracle";
      return 0;
  }
}

/// On which side of what is owned an index is.
int step(std::int64_t index, const halo::Descriptor& descriptor) {
  return index < descriptor.begin ? -1 : index >= descriptor.end ? 1 : 0;
}

}  // namespace

Contributions::Contributions(const halo::ProcessGrid& grid, int numbers) : grid_(grid), numbers_(numbers) {}

std::vector<halo::Descriptor> Contributions::descriptors() { return {row_halo, column_halo}; }

template <typename Visit>
void Contributions::for_each(Visit visit) {
  for (std::int64_t i = 0; i < row_halo.total_length; ++i) {
    for (std::int64_t j = 0; j < column_halo.total_length; ++j) visit(Place{i, j});
  }
}

std::size_t Contributions::index(Place place, std::int64_t number) const {
  return static_cast<std::size_t>((place.i * column_halo.total_length + place.j) * numbers_ + number);
}

Contributions::Numbers Contributions::initial() const {
  Numbers numbers(static_cast<std::size_t>(row_halo.total_length * column_halo.total_length * numbers_));
  for_each([&](Place at) {
    for (std::int64_t n = 0; n < numbers_; ++n) numbers[index(at, n)] = value(grid_.rank(), at.i, at.j, n);
  });
  return numbers;
}

Contributions::Numbers Contributions::expected(Operation operation,
                                               const std::vector<halo::Direction>& sides) const {
  Numbers numbers = initial();
  const std::int64_t all_rows = rows * grid_.sizes()[0];
  const std::int64_t all_columns = columns * grid_.sizes()[1];
  for (int rank = 0; rank < grid_.ranks(); ++rank) {
    const std::int64_t first_row = rows * (rank / grid_.sizes()[1]);
    const std::int64_t first_column = columns * (rank % grid_.sizes()[1]);
    for_each([&](Place at) {
      const halo::Direction side{step(at.i, row_halo), step(at.j, column_halo)};
      const bool owned = side == halo::Direction{0, 0};
      if (owned || (!sides.empty() && std::ranges::find(sides, side) == sides.end())) return;
      const std::int64_t row = (first_row + at.i - row_halo.begin + all_rows) % all_rows;
      const std::int64_t column = first_column + at.j - column_halo.begin;
      if (column < 0 || column >= all_columns) return;
      const std::int64_t here_row = row - rows * grid_.coordinates()[0];
      const std::int64_t here_column = column - columns * grid_.coordinates()[1];
      if (here_row < 0 || here_row >= rows || here_column < 0 || here_column >= columns) return;
      const Place owner{here_row + row_halo.begin, here_column + column_halo.begin};
      for (std::int64_t n = 0; n < numbers_; ++n) {
        std::int64_t& number = numbers[index(owner, n)];
        number = combined(operation, number, value(rank, at.i, at.j, n));
      }
    });
  }
  return numbers;
}

}  // namespace typewarp::test
