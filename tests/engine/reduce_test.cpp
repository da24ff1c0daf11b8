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

// Also at odd addresses, and the largest values, of which signed and unsigned differ.
TYPED_TEST(ReduceNumbers, AreCombinedOneByOne) {
  using T = typename TypeParam::Type;
  constexpr std::size_t count = 5;
  const std::array<T, count> in{T(1), T(100), T(0), std::numeric_limits<T>::max(), T(7)};
  const std::array<T, count> own{T(2), T(20), std::numeric_limits<T>::max(), T(0), T(7)};
  for (const Operation operation : {Operation::sum, Operation::min, Operation::max}) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{1}}) {
      std::vector<std::byte> from(offset + sizeof in), to(offset + sizeof own);
      std::memcpy(from.data() + offset, in.data(), sizeof in);
      std::memcpy(to.data() + offset, own.data(), sizeof own);
      reduce_local(from.data() + offset, to.data() + offset, count, TypeParam::type, operation, nullptr);
      std::array<T, count> found;
      std::memcpy(found.data(), to.data() + offset, sizeof found);
      for (std::size_t i = 0; i < count; ++i) {
        const T expected = operation == Operation::sum   ? static_cast<T>(in[i] + own[i])
                           : operation == Operation::min ? std::min(in[i], own[i])
                                                         : std::max(in[i], own[i]);
        EXPECT_EQ(found[i], expected) << name(operation) << " at " << i;
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

TEST(Reduce, KnowsWhatCanBeCombined) {
  EXPECT_TRUE(reducible(Named::double_, Operation::max));
  EXPECT_TRUE(reducible(Named::complex_float, Operation::sum));
  EXPECT_FALSE(reducible(Named::complex_float, Operation::max));
  for (const Named type : {Named::byte, Named::packed, Named::char_, Named::c_bool, Named::double_int}) {
    EXPECT_FALSE(reducible(type, Operation::sum)) << name(type);
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
