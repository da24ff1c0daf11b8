// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/expect_bounds.hpp"
#include "support/expect_invalid.hpp"

namespace typewarp::test {
namespace {

constexpr std::int64_t huge = std::int64_t{1} << 62;
using Places = std::vector<std::int64_t>;

TEST(Subarray, Beyond4GiB) {
  const std::int64_t million = 1'000'000;
  expect_bounds(subarray({million, million}, {million, 1}, {0, 7}, Order::c, Named::double_), 8 * million, 0,
                8 * million * million, 56, 8 * million * (million - 1) + 8);
}

TEST(Subarray, Errors) {
  const auto plane = [](Places sizes, Places subsizes, Places starts) {
    return [=] { subarray(sizes, subsizes, starts, Order::c, Named::int_); };
  };
  expect_invalid(plane({}, {}, {}), "subarray: sizes = 0 entries: must have one a dimension");
  expect_invalid(plane({4, 5}, {1}, {0, 0}),
                 "subarray: subsizes = 1 entries: must have as many as sizes, which has 2");
  expect_invalid(plane({4, 5}, {1, 1}, {0}),
                 "subarray: starts = 1 entries: must have as many as sizes, which has 2");
  expect_invalid(plane({4, -5}, {1, 1}, {0, 0}), "subarray: sizes[1] = -5: must not be negative");
  expect_invalid(plane({4, 5}, {1, 6}, {0, 0}),
                 "subarray: subsizes[1] = 6: must not exceed sizes[1], which is 5");
  expect_invalid(
      plane({4, 5}, {2, 2}, {3, 0}),
      "subarray: starts[0] = 3: together with subsizes[0], which is 2, must not exceed sizes[0], which is 4");
  expect_invalid(plane({4, 5}, {2, 2}, {0, -1}), "subarray: starts[1] = -1: must not be negative");
  expect_invalid(plane({4, huge}, {1, 1}, {0, 0}),
                 "subarray: sizes[1] = 4611686018427387904: the extent in bytes exceeds 64 bits");
  expect_invalid([] { subarray({4}, {1}, {0}, Order::c, {}); },
                 "subarray: child = null: must not be the null datatype");
}

}  // namespace
}  // namespace typewarp::test
