// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/reduce.hpp>

#include "support/expect_invalid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

namespace typewarp {
namespace {

template <typename T>
class ReduceNumbers : public testing::Test {};

template <typename T, Named named>
struct Number {
  using Type = T;
  static constexpr Named type = named;
};
using Numbers =
    testing::Types<Number<std::int8_t, Named::signed_char>, Number<std::uint8_t, Named::uint8>,
                   Number<std::int16_t, Named::short_>, Number<std::uint16_t, Named::uint16>,
                   Number<std::int32_t, Named::int_>, Number<std::uint32_t, Named::unsigned_int>,
                   Number<std::int64_t, Named::long_>, Number<std::uint64_t, Named::unsigned_long_long>,
                   Number<float, Named::real>, Number<double, Named::double_>>;
TYPED_TEST_SUITE(ReduceNumbers, Numbers);

constexpr Operation all_operations[] = {
    Operation::sum, Operation::min, Operation::max,  Operation::prod, Operation::land,   Operation::band,
    Operation::lor, Operation::bor, Operation::lxor, Operation::bxor, Operation::minloc, Operation::maxloc};

/// Numbers wrap, in arithmetic that knows no overflow.
template <typename T>
T expected_of(Operation operation, T a, T b) {
  if (operation == Operation::min) return std::min(a, b);
  if (operation == Operation::max) return std::max(a, b);
  if constexpr (std::is_integral_v<T>) {
    const auto x = static_cast<std::uint64_t>(a);
    const auto y = static_cast<std::uint64_t>(b);
    switch (operation) {
      case Operation::sum:
        return static_cast<T>(x + y);
      case Operation::prod:
        return static_cast<T>(x * y);
      case Operation::land:
        return static_cast<T>(x != 0 && y != 0);
      case Operation::lor:
        return static_cast<T>(x != 0 || y != 0);
      case Operation::lxor:
        return static_cast<T>((x != 0) != (y != 0));
      case Operation::band:
        return static_cast<T>(x & y);
      case Operation::bor:
        return static_cast<T>(x | y);
      default:
        return static_cast<T>(x ^ y);
    }
  }
  return operation == Operation::sum ? a + b : a * b;
}

// Also at odd addresses, and the largest values, of which signed and unsigned differ.
TYPED_TEST(ReduceNumbers, AreCombinedOneByOne) {
  using T = typename TypeParam::Type;
  constexpr std::size_t count = 5;
  const std::array<T, count> in{T(1), T(100), T(0), std::numeric_limits<T>::max(), T(7)};
  const std::array<T, count> own{T(2), T(20), std::numeric_limits<T>::max(), T(0), T(7)};
  for (const Operation operation : all_operations) {
    if (!reducible(TypeParam::type, operation)) continue;
    for (const std::size_t offset : {std::size_t{0}, std::size_t{1}}) {
      std::vector<std::byte> from(offset + sizeof in), to(offset + sizeof own);
      std::memcpy(from.data() + offset, in.data(), sizeof in);
      std::memcpy(to.data() + offset, own.data(), sizeof own);
      reduce_local(from.data() + offset, to.data() + offset, count, TypeParam::type, operation, nullptr);
      std::array<T, count> found;
      std::memcpy(found.data(), to.data() + offset, sizeof found);
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(found[i], expected_of(operation, in[i], own[i])) << name(operation) << " at " << i;
      }
    }
  }
}

TEST(Reduce, SumsComplexNumbers) {
  const std::array<std::complex<double>, 2> in{{{1, 2}, {3, 4}}};
  std::array<std::complex<double>, 2> inout{{{10, 20}, {30, 40}}};
  reduce_local(in.data(), inout.data(), 2, Named::cxx_complex_double, Operation::sum, nullptr);
  EXPECT_EQ(inout, (std::array<std::complex<double>, 2>{{{11, 22}, {33, 44}}}));
}

TEST(Reduce, MultipliesComplexNumbers) {
  const std::array<std::complex<float>, 2> in{{{1, 2}, {3, 4}}};
  std::array<std::complex<float>, 2> inout{{{10, 20}, {30, 40}}};
  reduce_local(in.data(), inout.data(), 2, Named::complex8, Operation::prod, nullptr);
  EXPECT_EQ(inout, (std::array<std::complex<float>, 2>{{{-30, 40}, {-70, 240}}}));
}

/// MPI_SHORT_INT: it has a gap.
struct ShortInt {
  short value;
  std::array<char, 2> gap;
  int place;
};

TEST(Reduce, KeepsThePlaceOfTheLeastAndOfTheMost) {
  const std::array<ShortInt, 3> in{{{-5, {'a', 'a'}, 9}, {7, {'a', 'a'}, 1}, {3, {'a', 'a'}, 8}}};
  std::array<ShortInt, 3> least{{{2, {'b', 'b'}, 4}, {7, {'b', 'b'}, 2}, {1, {'b', 'b'}, 5}}};
  auto most = least;
  reduce_local(in.data(), least.data(), 3, Named::short_int, Operation::minloc, nullptr);
  reduce_local(in.data(), most.data(), 3, Named::short_int, Operation::maxloc, nullptr);
  const auto expect = [](const ShortInt& found, short value, int place) {
    EXPECT_EQ(found.value, value);
    EXPECT_EQ(found.place, place);
    EXPECT_EQ(found.gap, (std::array<char, 2>{'b', 'b'}));
  };
  expect(least[0], -5, 9);
  expect(least[1], 7, 1);
  expect(least[2], 1, 5);
  expect(most[0], 2, 4);
  expect(most[1], 7, 1);
  expect(most[2], 3, 8);
}

TEST(Reduce, TakesAnyLogicalButZeroForTrue) {
  const std::array<std::uint32_t, 4> in{0, 0, 2, 0xffffffff};
  const auto reduced = [&](Operation operation) {
    std::array<std::uint32_t, 4> inout{0, 4, 0, 1};
    reduce_local(in.data(), inout.data(), 4, Named::logical, operation, nullptr);
    return inout;
  };
  using Truths = std::array<std::uint32_t, 4>;
  EXPECT_EQ(reduced(Operation::land), (Truths{0, 0, 0, 1}));
  EXPECT_EQ(reduced(Operation::lor), (Truths{0, 1, 1, 1}));
  EXPECT_EQ(reduced(Operation::lxor), (Truths{0, 1, 1, 0}));
}

TEST(Reduce, KnowsWhatCanBeCombined) {
  EXPECT_TRUE(reducible(Named::double_, Operation::max));
  EXPECT_TRUE(reducible(Named::complex_float, Operation::sum));
  EXPECT_FALSE(reducible(Named::complex_float, Operation::max));
  EXPECT_TRUE(reducible(Named::byte, Operation::bxor));
  EXPECT_TRUE(reducible(Named::c_bool, Operation::land));
  EXPECT_FALSE(reducible(Named::c_bool, Operation::band));
  EXPECT_TRUE(reducible(Named::int_, Operation::land));
  EXPECT_FALSE(reducible(Named::integer, Operation::land));
  EXPECT_TRUE(reducible(Named::aint, Operation::band));
  EXPECT_TRUE(reducible(Named::double_int, Operation::minloc));
  EXPECT_FALSE(reducible(Named::double_, Operation::maxloc));
  for (const Named type : {Named::byte, Named::packed, Named::char_, Named::c_bool, Named::double_int}) {
    EXPECT_FALSE(reducible(type, Operation::sum)) << name(type);
  }
  for (const Named type : {Named::long_double, Named::long_double_int, Named::real16, Named::char_}) {
    for (const Operation operation : all_operations) EXPECT_FALSE(reducible(type, operation)) << name(type);
  }
}

TEST(Reduce, NamesWhatIsWrong) {
  double number = 1;
  const auto argument = [](const void* in, void* inout, std::int64_t count, Named type) {
    return test::invalid_argument([&] { reduce_local(in, inout, count, type, Operation::min, nullptr); });
  };
  EXPECT_EQ(argument(&number, &number, -1, Named::double_), "count");
  EXPECT_EQ(argument(&number, &number, std::int64_t{1} << 61, Named::double_), "count");
  EXPECT_EQ(argument(&number, &number, 1, Named::byte), "type");
  EXPECT_EQ(argument(nullptr, &number, 1, Named::double_), "in");
  EXPECT_EQ(argument(&number, nullptr, 1, Named::double_), "inout");
  EXPECT_EQ(argument(nullptr, nullptr, 0, Named::double_), "nothing");
}

}  // namespace
}  // namespace typewarp
