// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/fields.hpp"
#include "transport/fixture.hpp"

#include <typewarp/halo.hpp>

#include <algorithm>
#include <cstring>

namespace typewarp::test {
namespace {

using halo::Exchange;
using halo::Packing;
using halo::ProcessGrid;
using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t rows = 5;
constexpr std::int64_t columns = 4;
constexpr halo::Descriptor row_halo{2, 1, 2, 2 + rows - 1, 2 + rows + 1};
constexpr halo::Descriptor column_halo{1, 3, 1, 1 + columns - 1, 1 + columns + 3};
constexpr std::int64_t stored = row_halo.total_length * column_halo.total_length;

/// What a process has at a place, halo or not.
std::int64_t value(int rank, std::int64_t i, std::int64_t j) {
  const std::int64_t mixed = (rank + 3) * 7919 + i * 104729 + j * 1299709;
  return mixed % 1009 - 500;
}

std::int64_t combined(Operation operation, std::int64_t a, std::int64_t b) {
  return operation == Operation::sum ? a + b : operation == Operation::min ? std::min(a, b) : std::max(a, b);
}

/// 5 x 4 owned numbers a process, on a grid that is periodic along its first dimension.
class HaloAccumulate : public Transport, public testing::WithParamInterface<Operation> {
 protected:
  void SetUp() override {
    Transport::SetUp();
    grid_ = std::make_unique<ProcessGrid>(comm_, std::vector{0, 0}, std::vector{true, false});
  }
  void TearDown() override {
    grid_.reset();
    Transport::TearDown();
  }

  /// All processes' halos, gone through one by one.
  Numbers expected() const {
    Numbers numbers = initial();
    const std::int64_t all_rows = rows * grid_->sizes()[0];
    const std::int64_t all_columns = columns * grid_->sizes()[1];
    for (int rank = 0; rank < ranks_; ++rank) {
      const std::int64_t first_row = rows * (rank / grid_->sizes()[1]);
      const std::int64_t first_column = columns * (rank % grid_->sizes()[1]);
      for (std::int64_t i = 0; i < row_halo.total_length; ++i) {
        for (std::int64_t j = 0; j < column_halo.total_length; ++j) {
          const bool owned =
              i >= row_halo.begin && i <= row_halo.end && j >= column_halo.begin && j <= column_halo.end;
          const std::int64_t row = (first_row + i - row_halo.begin + all_rows) % all_rows;
          const std::int64_t column = first_column + j - column_halo.begin;
          if (owned || column < 0 || column >= all_columns) continue;
          const std::int64_t here_row = row - rows * grid_->coordinates()[0];
          const std::int64_t here_column = column - columns * grid_->coordinates()[1];
          if (here_row < 0 || here_row >= rows || here_column < 0 || here_column >= columns) continue;
          std::int64_t& number = numbers[place(here_row + row_halo.begin, here_column + column_halo.begin)];
          number = combined(GetParam(), number, value(rank, i, j));
        }
      }
    }
    return numbers;
  }
  Numbers initial() const {
    Numbers numbers(static_cast<std::size_t>(stored));
    for (std::int64_t i = 0; i < row_halo.total_length; ++i) {
      for (std::int64_t j = 0; j < column_halo.total_length; ++j) numbers[place(i, j)] = value(rank_, i, j);
    }
    return numbers;
  }
  static std::size_t place(std::int64_t i, std::int64_t j) {
    return static_cast<std::size_t>(i * column_halo.total_length + j);
  }

  std::unique_ptr<ProcessGrid> grid_;
};

template <typename T>
std::unique_ptr<Memory> memory_of(const Numbers& numbers) {
  std::vector<T> values(numbers.begin(), numbers.end());
  auto memory = allocate_field(static_cast<std::int64_t>(values.size() * sizeof(T)));
  memory->write(std::as_bytes(std::span(values)));
  return memory;
}
template <typename T>
Numbers numbers_of(Memory& memory) {
  std::vector<T> values(static_cast<std::size_t>(stored));
  memory.read(std::as_writable_bytes(std::span(values)));
  return {values.begin(), values.end()};
}

// Bytes before numbers, so that these do not lie where they could be loaded at once.
TEST_P(HaloAccumulate, OwnersGetWhatHalosHold) {
  for (const Packing packing : {Packing::manual, Packing::datatype}) {
    for (const halo::Diagonals diagonals : {halo::Diagonals::direct, halo::Diagonals::by_dimension}) {
      const auto small = memory_of<std::int16_t>(initial());
      const auto numbers = memory_of<double>(initial());
      const std::vector descriptors{row_halo, column_halo};
      Exchange exchange(*grid_,
                        {halo::Field(small->data(), Named::int16, descriptors),
                         halo::Field(numbers->data(), Named::double_, descriptors)},
                        {.packing = packing, .diagonals = diagonals});
      exchange.accumulate(GetParam(), field_stream());
      EXPECT_EQ(numbers_of<std::int16_t>(*small), expected());
      EXPECT_EQ(numbers_of<double>(*numbers), expected());
    }
  }
}

// It is the adjoint of an exchange: <E x, y> = <x, A y>, both sides summed over all processes.
TEST_P(HaloAccumulate, IsTheAdjointOfAnExchange) {
  if (GetParam() != Operation::sum) GTEST_SKIP() << "of sums only";
  Numbers y = initial();
  Numbers x = initial();
  for (std::int64_t& number : x) number = number % 17;
  const std::vector descriptors{row_halo, column_halo};
  const auto forward = memory_of<std::int64_t>(x);
  const auto backward = memory_of<std::int64_t>(y);
  // Halos are no part of x.
  Exchange(*grid_, {halo::Field(forward->data(), Named::int64, descriptors)}).exchange(field_stream());
  Exchange(*grid_, {halo::Field(backward->data(), Named::int64, descriptors)})
      .accumulate(Operation::sum, field_stream());
  const Numbers extended = numbers_of<std::int64_t>(*forward);
  const Numbers accumulated = numbers_of<std::int64_t>(*backward);
  std::int64_t sums[2] = {0, 0};
  for (std::int64_t i = 0; i < row_halo.total_length; ++i) {
    for (std::int64_t j = 0; j < column_halo.total_length; ++j) {
      const bool owned =
          i >= row_halo.begin && i <= row_halo.end && j >= column_halo.begin && j <= column_halo.end;
      const bool below = j < column_halo.begin && grid_->coordinates()[1] == 0;
      const bool above = j > column_halo.end && grid_->coordinates()[1] + 1 == grid_->sizes()[1];
      if (!below && !above) sums[0] += extended[place(i, j)] * y[place(i, j)];
      if (owned) sums[1] += x[place(i, j)] * accumulated[place(i, j)];
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, comm_);
  EXPECT_EQ(sums[0], sums[1]);
}

TEST_P(HaloAccumulate, OfLessThanAHalo) {
  const auto numbers = memory_of<double>(initial());
  Exchange exchange(*grid_, {halo::Field(numbers->data(), Named::double_, {row_halo, column_halo})});
  exchange.set_width(0);
  exchange.accumulate(GetParam(), field_stream());
  EXPECT_EQ(numbers_of<double>(*numbers), initial());
  exchange.set_width(halo::full_width);
  exchange.accumulate(GetParam(), field_stream());
  EXPECT_EQ(numbers_of<double>(*numbers), expected());
}

TEST_P(HaloAccumulate, NamesAFieldWithoutNumbers) {
  const auto numbers = memory_of<double>(initial());
  const halo::Field field(numbers->data(), Named::double_, {row_halo, column_halo});
  const halo::Field bytes(numbers->data(), contiguous(8, Named::byte), {row_halo, column_halo});
  Exchange exchange(*grid_, {field, bytes}, {.packing = Packing::manual});
  try {
    exchange.accumulate(GetParam(), field_stream());
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.argument(), "fields[1].element");
  }
  EXPECT_EQ(numbers_of<double>(*numbers), initial());
}

INSTANTIATE_TEST_SUITE_P(Operations, HaloAccumulate,
                         testing::Values(Operation::sum, Operation::min, Operation::max),
                         [](const auto& operation) { return std::string(name(operation.param)); });

}  // namespace
}  // namespace typewarp::test
