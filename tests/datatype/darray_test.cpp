// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/node.hpp"
#include "support/type_map.hpp"

#include "datatype/expect_bounds.hpp"
#include "support/expect_invalid.hpp"

#include <algorithm>

namespace typewarp::test {
namespace {

constexpr std::int64_t huge = std::int64_t{1} << 62;
constexpr std::int64_t standard = default_distribution_argument;
using Places = std::vector<std::int64_t>;
using Distributions = std::vector<Distribution>;

Datatype expansion(const Datatype& type) {
  return std::get<datatype::Darray>(datatype::node_of(type).constructor).expansion;
}

TEST(Darray, EveryElementBelongsToExactlyOneProcess) {
  for (const Order order : {Order::c, Order::fortran}) {
    Places all;
    for (std::int64_t rank = 0; rank < 12; ++rank) {
      const Datatype type =
          darray(12, rank, {9, 4, 11}, {Distribution::cyclic, Distribution::none, Distribution::block},
                 {2, standard, 5}, {4, 1, 3}, order, Named::short_);
      const Places mine = byte_map(type);
      EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
      EXPECT_EQ(mine, byte_map(expansion(type))) << type;
      all.insert(all.end(), mine.begin(), mine.end());
    }
    std::sort(all.begin(), all.end());
    ASSERT_EQ(all.size(), 9U * 4 * 11 * 2);
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<std::int64_t>(i));
  }
}

TEST(Darray, Beyond4GiB) {
  const std::int64_t million = 1'000'000;
  const Datatype type = darray(4, 3, {million, million}, {Distribution::block, Distribution::cyclic},
                               {standard, 1000}, {2, 2}, Order::c, Named::double_);
  expect_bounds(type, 2 * million * million, 0, 8 * million * million, 8 * (million / 2 * million + 1000),
                8 * (million / 2 * million - 1000));
}

struct Arguments {
  std::int64_t size = 6, rank = 0;
  Places global_sizes{5, 7};
  Distributions distributions{Distribution::block, Distribution::cyclic};
  Places arguments{standard, standard}, process_sizes{2, 3};

  auto call() const {
    return [*this] {
      darray(size, rank, global_sizes, distributions, arguments, process_sizes, Order::c, Named::int_);
    };
  }
};

TEST(Darray, ErrorsInProcesses) {
  expect_invalid(Arguments{.size = 0}.call(), "darray: size = 0: must be positive");
  expect_invalid(Arguments{.size = 5}.call(),
                 "darray: size = 5: must be the product of process_sizes, which is 6");
  expect_invalid(Arguments{.rank = -1}.call(), "darray: rank = -1: must not be negative");
  expect_invalid(Arguments{.rank = 6}.call(), "darray: rank = 6: must be less than size, which is 6");
  expect_invalid(Arguments{.process_sizes = {0, 3}}.call(), "darray: process_sizes[0] = 0: must be positive");
  expect_invalid(Arguments{.process_sizes = {huge, huge}}.call(),
                 "darray: process_sizes[1] = 4611686018427387904: the number of processes exceeds 64 bits");
}

TEST(Darray, ErrorsInDimensions) {
  expect_invalid(Arguments{.global_sizes = {}}.call(),
                 "darray: global_sizes = 0 entries: must have one a dimension");
  expect_invalid(Arguments{.distributions = {}}.call(),
                 "darray: distributions = 0 entries: must have as many as global_sizes, which has 2");
  expect_invalid(
      Arguments{.arguments = {1}}.call(),
      "darray: distribution_arguments = 1 entries: must have as many as global_sizes, which has 2");
  expect_invalid(Arguments{.process_sizes = {6}}.call(),
                 "darray: process_sizes = 1 entries: must have as many as global_sizes, which has 2");
  expect_invalid(Arguments{.global_sizes = {5, 0}}.call(), "darray: global_sizes[1] = 0: must be positive");
  expect_invalid(Arguments{.global_sizes = {huge, 7}}.call(),
                 "darray: global_sizes[0] = 4611686018427387904: the extent in bytes exceeds 64 bits");
}

TEST(Darray, ErrorsInDistributions) {
  expect_invalid(Arguments{.distributions = {Distribution::none, Distribution::cyclic}}.call(),
                 "darray: process_sizes[0] = 2: must be 1 in a dimension that is not distributed");
  expect_invalid(Arguments{.arguments = {standard, 0}}.call(),
                 "darray: distribution_arguments[1] = 0: must be positive, or default_distribution_argument");
  expect_invalid(Arguments{.arguments = {2, 1}}.call(),
                 "darray: distribution_arguments[0] = 2: times process_sizes, which is 2, must cover "
                 "global_sizes, which is 5");
}

TEST(Darray, ErrorsInTheChild) {
  expect_invalid([] { darray(1, 0, {4}, {Distribution::none}, {standard}, {1}, Order::c, {}); },
                 "darray: child = null: must not be the null datatype");
  expect_invalid(
      [] {
        darray(1, 0, {huge}, {Distribution::none}, {standard}, {1}, Order::c, resized(Named::int_, 0, 1));
      },
      "darray: child = 4 bytes: the size or a bound of the part that this process owns exceeds 64 bits");
}

}  // namespace
}  // namespace typewarp::test
