// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/strided_view.hpp>

#include "engine/calls.hpp"

#include <typewarp/batch.hpp>

#include <gtest/gtest.h>

#include <array>
#include <list>
#include <vector>

namespace typewarp {
namespace {

using test::counting;
using test::message_of;

/// As much of std::mdspan as counts here: a matrix whose columns may be the faster ones.
template <typename T>
struct Matrix {
  using element_type = T;
  static constexpr std::size_t rank() { return 2; }
  std::size_t extent(std::size_t d) const { return extents[d]; }
  std::ptrdiff_t stride(std::size_t d) const { return strides[d]; }
  bool is_strided() const { return strided; }
  T* data_handle() const { return data; }

  T* data;
  std::array<std::size_t, 2> extents;
  std::array<std::ptrdiff_t, 2> strides;
  bool strided = true;
};

static_assert(Array<std::vector<int>&> && Array<const std::vector<int>&> && Array<std::span<const double>>);
static_assert(Array<std::array<std::byte, 3>&> && Array<Matrix<float>> && Array<StridedView<bool>>);
static_assert(WritableArray<std::vector<int>&> && !WritableArray<const std::vector<int>&>);
// Of overloads for views of several types, the one of the elements is chosen.
static_assert(std::is_convertible_v<std::vector<double>&, StridedView<const double>>);
static_assert(!std::is_convertible_v<std::vector<float>&, StridedView<double>>);
static_assert(!std::is_convertible_v<const std::vector<double>&, StridedView<double>>);
static_assert(!Array<std::vector<int>>);     // would be gone while it is sent
static_assert(!Array<std::list<int>&>);      // not in a row
static_assert(!Array<std::vector<Piece>&>);  // those are a batch's
static_assert(!Array<std::vector<std::string>&>);

template <typename... T>
void expect_sizes() {
  const std::vector<std::int64_t> found{Datatype(named_of<T>).size()...};
  EXPECT_EQ(found, (std::vector<std::int64_t>{static_cast<std::int64_t>(sizeof(T))...}));
}

TEST(StridedView, KnowsTheTypesOfElements) {
  expect_sizes<bool, char, signed char, unsigned char, wchar_t, char8_t, char16_t, char32_t, short,
               unsigned short, int, unsigned, long, unsigned long, long long, unsigned long long, float,
               double, long double, std::byte, std::complex<float>, std::complex<double>,
               std::complex<long double>, const int>();
  EXPECT_EQ(named_of<const double>, Named::double_);
  EXPECT_EQ(datatype_of(StridedView<float>(nullptr, {0})).size(), 0);
}

TEST(StridedView, IsPackedAndUnpacked) {
  const auto numbers = counting(24);  // 4 x 6
  const StridedView<const std::int32_t> backwards(numbers.data() + 18, {3, 2}, {-6, 2});
  std::array<std::int32_t, 6> packed{};
  pack(backwards, packed);
  EXPECT_EQ(packed, (std::array<std::int32_t, 6>{19, 21, 13, 15, 7, 9}));

  std::vector<std::int32_t> image(24, -1), expected(24, -1);
  for (const int at : {18, 20, 12, 14, 6, 8}) expected[static_cast<std::size_t>(at)] = at + 1;
  unpack(packed, StridedView(image.data() + 18, {3, 2}, {-6, 2}));
  EXPECT_EQ(image, expected);
}

TEST(StridedView, IsCopiedIntoAnotherShape) {
  auto numbers = counting(6);
  std::vector<std::int32_t> turned(6);
  copy(Matrix<std::int32_t>{numbers.data(), {3, 2}, {1, 3}}, turned);  // by its rows
  EXPECT_EQ(turned, (std::vector<std::int32_t>{1, 4, 2, 5, 3, 6}));
  copy(std::span(turned), StridedView(numbers.data(), {3, 2}, {1, 3}));
  EXPECT_EQ(numbers, counting(6));
}

TEST(StridedView, OfRowsHasOnePlan) {
  const std::vector<double> few(3, 1.0), many(300, 2.0);
  const auto one = items_of(few), other = items_of(many);
  EXPECT_EQ(one.count, 3);
  EXPECT_EQ(other.count, 300);
  EXPECT_EQ(&one.plan.layout(), &other.plan.layout());
}

TEST(StridedView, LeavesPiecesToTheBatch) {
  std::array<std::int32_t, 2> numbers{5, 6}, packed{};
  const std::vector<Piece> pieces{{numbers.data(), 2, commit(Named::int_), 0}};
  pack(pieces, packed.data());
  EXPECT_EQ(packed, numbers);
}

TEST(StridedView, NamesWhatIsWrong) {
  std::vector<std::int32_t> numbers(6), fewer(5);
  EXPECT_EQ(message_of([] { static_cast<void>(StridedView<int>(nullptr, {2, 3})); }),
            "typewarp::StridedView: data = null: must not be null");
  EXPECT_EQ(message_of([&] { pack(numbers, fewer); }),
            "typewarp::pack: packed = 5 elements: must have 6, as the other array");
  EXPECT_EQ(message_of([&] { unpack(fewer, StridedView(numbers.data(), {2, 2}, {3, 1})); }),
            "typewarp::unpack: packed = 5 elements: must have 4, as the other array");
  EXPECT_EQ(message_of([&] { copy(fewer, numbers); }),
            "typewarp::copy: destination = 6 elements: must have 5, as the other array");
  EXPECT_EQ(message_of([&] { pack(Matrix<std::int32_t>{numbers.data(), {2, 3}, {3, 1}, false}, numbers); }),
            "typewarp::StridedView: array = one that is not strided: must be strided");
}

}  // namespace
}  // namespace typewarp
