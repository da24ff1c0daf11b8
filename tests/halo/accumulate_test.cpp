// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/contributions.hpp"
#include "halo/fields.hpp"
#include "support/expect_invalid.hpp"
#include "transport/fixture.hpp"

#include <typewarp/halo.hpp>

#include <memory>
#include <string>

namespace typewarp::test {
namespace {

using halo::Exchange;
using halo::Packing;
using halo::ProcessGrid;
using Numbers = Contributions::Numbers;

/// On a grid that is periodic along its first dimension.
class HaloAccumulate : public Session, public testing::WithParamInterface<Operation> {
 protected:
  void SetUp() override {
    Session::SetUp();
    grid_ = std::make_unique<ProcessGrid>(comm_, std::vector{0, 0}, std::vector{true, false});
  }
  void TearDown() override {
    grid_.reset();
    Session::TearDown();
  }

  Numbers initial(int numbers = 1) const { return Contributions(*grid_, numbers).initial(); }
  Numbers expected(int numbers = 1, const std::vector<halo::Direction>& sides = {}) const {
    return Contributions(*grid_, numbers).expected(GetParam(), sides);
  }
  /// The argument that accumulate() does not take.
  std::string refused(Exchange& exchange) const {
    return invalid_argument([&] { exchange.accumulate(GetParam(), field_stream()); });
  }

  const std::vector<halo::Descriptor> descriptors_ = Contributions::descriptors();
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
Numbers numbers_of(Memory& memory, std::int64_t of_element = 1) {
  for (const halo::Descriptor& one : Contributions::descriptors()) of_element *= one.total_length;
  std::vector<T> values(static_cast<std::size_t>(of_element));
  memory.read(std::as_writable_bytes(std::span(values)));
  return {values.begin(), values.end()};
}

// Bytes before numbers, so that these do not lie where they could be loaded at once.
TEST_P(HaloAccumulate, OwnersGetWhatHalosHold) {
  for (const Packing packing : {Packing::manual, Packing::datatype}) {
    const auto small = memory_of<std::int16_t>(initial());
    const auto numbers = memory_of<double>(initial());
    Exchange exchange(*grid_,
                      {halo::Field(small->data(), Named::int16, descriptors_),
                       halo::Field(numbers->data(), Named::double_, descriptors_)},
                      {.packing = packing});
    exchange.accumulate(GetParam(), field_stream());
    EXPECT_EQ(numbers_of<std::int16_t>(*small), expected());
    EXPECT_EQ(numbers_of<double>(*numbers), expected());
  }
}

// It is the adjoint of an exchange: <E x, y> = <x, A y>, both sides summed over all processes.
TEST_P(HaloAccumulate, IsTheAdjointOfAnExchange) {
  if (GetParam() != Operation::sum) GTEST_SKIP() << "only a sum has an adjoint";
  Numbers y = initial();
  Numbers x = initial();
  for (std::int64_t& number : x) number = number % 17;
  const auto forward = memory_of<std::int64_t>(x);
  const auto backward = memory_of<std::int64_t>(y);
  // Halos are no part of x.
  Exchange(*grid_, {halo::Field(forward->data(), Named::int64, descriptors_)}).exchange(field_stream());
  Exchange(*grid_, {halo::Field(backward->data(), Named::int64, descriptors_)})
      .accumulate(Operation::sum, field_stream());
  const Numbers extended = numbers_of<std::int64_t>(*forward);
  const Numbers accumulated = numbers_of<std::int64_t>(*backward);
  std::int64_t sums[2] = {0, 0};
  const halo::Descriptor rows = descriptors_[0];
  const halo::Descriptor columns = descriptors_[1];
  for (std::int64_t i = 0; i < rows.total_length; ++i) {
    for (std::int64_t j = 0; j < columns.total_length; ++j) {
      const auto place = static_cast<std::size_t>(i * columns.total_length + j);
      const bool owned = i >= rows.begin && i < rows.end && j >= columns.begin && j < columns.end;
      const bool below = j < columns.begin && grid_->coordinates()[1] == 0;
      const bool above = j >= columns.end && grid_->coordinates()[1] + 1 == grid_->sizes()[1];
      if (!below && !above) sums[0] += extended[place] * y[place];
      if (owned) sums[1] += x[place] * accumulated[place];
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, comm_);
  EXPECT_EQ(sums[0], sums[1]);
}

TEST_P(HaloAccumulate, OfLessThanAHalo) {
  const auto numbers = memory_of<double>(initial());
  Exchange exchange(*grid_, {halo::Field(numbers->data(), Named::double_, descriptors_)});
  exchange.set_width(0);
  exchange.accumulate(GetParam(), field_stream());
  EXPECT_EQ(numbers_of<double>(*numbers), initial());
  exchange.set_width(halo::full_width);
  exchange.accumulate(GetParam(), field_stream());
  EXPECT_EQ(numbers_of<double>(*numbers), expected());
}

TEST_P(HaloAccumulate, OfTheSidesThatAreExchanged) {
  const std::vector<std::vector<halo::Direction>> some{{{-1, 0}}, {{1, 1}, {0, -1}, {1, 0}}, {{-1, 1}}};
  for (const Packing packing : {Packing::manual, Packing::datatype}) {
    for (const std::vector<halo::Direction>& sides : some) {
      const auto numbers = memory_of<double>(initial());
      Exchange exchange(*grid_, {halo::Field(numbers->data(), Named::double_, descriptors_)},
                        {.packing = packing, .sides = sides});
      exchange.accumulate(GetParam(), field_stream());
      EXPECT_EQ(numbers_of<double>(*numbers), expected(1, sides));
    }
  }
}

// An element may end amid the numbers that are combined at once.
TEST_P(HaloAccumulate, OfElementsOfSeveralNumbers) {
  for (const Packing packing : {Packing::manual, Packing::datatype}) {
    const auto vectors = memory_of<double>(initial(3));
    const auto small = memory_of<std::int16_t>(initial(5));
    Exchange exchange(*grid_,
                      {halo::Field(small->data(), contiguous(5, Named::int16), descriptors_),
                       halo::Field(vectors->data(), contiguous(3, Named::double_), descriptors_)},
                      {.packing = packing});
    exchange.accumulate(GetParam(), field_stream());
    EXPECT_EQ(numbers_of<double>(*vectors, 3), expected(3));
    EXPECT_EQ(numbers_of<std::int16_t>(*small, 5), expected(5));
  }
}

TEST_P(HaloAccumulate, OfComplexNumbersAreSums) {
  const auto single = memory_of<float>(initial(2));
  const auto pairs = memory_of<double>(initial(4));
  Exchange exchange(*grid_,
                    {halo::Field(single->data(), Named::cxx_complex_float, descriptors_),
                     halo::Field(pairs->data(), contiguous(2, Named::cxx_complex_double), descriptors_)});
  const bool taken = GetParam() == Operation::sum;
  EXPECT_EQ(refused(exchange), taken ? "nothing" : "fields[0].element");
  EXPECT_EQ(numbers_of<float>(*single, 2), taken ? expected(2) : initial(2));
  EXPECT_EQ(numbers_of<double>(*pairs, 4), taken ? expected(4) : initial(4));
}

TEST_P(HaloAccumulate, NamesAFieldWithoutNumbers) {
  const auto numbers = memory_of<double>(initial());
  const halo::Field field(numbers->data(), Named::double_, descriptors_);
  const halo::Field bytes(numbers->data(), contiguous(8, Named::byte), descriptors_);
  Exchange exchange(*grid_, {field, bytes}, {.packing = Packing::manual});
  EXPECT_EQ(refused(exchange), "fields[1].element");
  EXPECT_EQ(numbers_of<double>(*numbers), initial());
}

using HaloAccumulateBits = HaloAccumulate;

TEST_P(HaloAccumulateBits, OfIntegersAndNotOfOtherNumbers) {
  const auto integers = memory_of<std::int64_t>(initial());
  const auto numbers = memory_of<double>(initial());
  const halo::Field field(integers->data(), Named::int64, descriptors_);
  Exchange exchange(*grid_, {field});
  exchange.accumulate(GetParam(), field_stream());
  EXPECT_EQ(numbers_of<std::int64_t>(*integers), expected());
  Exchange mixed(*grid_, {field, halo::Field(numbers->data(), Named::double_, descriptors_)});
  EXPECT_EQ(refused(mixed), "fields[1].element");
}

INSTANTIATE_TEST_SUITE_P(Operations, HaloAccumulateBits, testing::Values(Operation::bxor));

using HaloAccumulatePlaces = HaloAccumulate;

/// Pairs of which the value and the place are the same number.
Numbers twice(const Numbers& numbers) {
  Numbers pairs;
  for (const std::int64_t number : numbers) pairs.insert(pairs.end(), 2, number);
  return pairs;
}

// Packed, pairs of a double and an int are shorter than in memory.
TEST_P(HaloAccumulatePlaces, OfPairsWithoutGaps) {
  const Numbers least = Contributions(*grid_, 1).expected(Operation::min, {});
  const auto pairs = memory_of<std::int32_t>(twice(initial()));
  const auto longer = memory_of<double>(twice(initial()));
  const halo::Field field(pairs->data(), Named::two_int, descriptors_);
  Exchange exchange(*grid_, {field});
  exchange.accumulate(GetParam(), field_stream());
  EXPECT_EQ(numbers_of<std::int32_t>(*pairs, 2), twice(least));
  Exchange mixed(*grid_, {field, halo::Field(longer->data(), Named::double_int, descriptors_)});
  EXPECT_EQ(refused(mixed), "fields[1].element");
  EXPECT_EQ(numbers_of<double>(*longer, 2), twice(initial()));
}

INSTANTIATE_TEST_SUITE_P(Operations, HaloAccumulatePlaces, testing::Values(Operation::minloc));

INSTANTIATE_TEST_SUITE_P(Operations, HaloAccumulate,
                         testing::Values(Operation::sum, Operation::min, Operation::max),
                         [](const auto& operation) { return std::string(name(operation.param)); });

}  // namespace
}  // namespace typewarp::test
