// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/node.hpp"
#include "support/type_map.hpp"

#include "datatype/expect_bounds.hpp"
#include "datatype/expect_invalid.hpp"

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

Places line(std::int64_t rank, std::int64_t global, Distribution distribution, std::int64_t argument,
            std::int64_t processes) {
  return byte_map(expansion(
      darray(processes, rank, {global}, {distribution}, {argument}, {processes}, Order::c, Named::byte)));
}

TEST(Darray, DealsOneDimensionOut) {
  EXPECT_EQ(line(0, 7, Distribution::block, standard, 3), (Places{0, 1, 2}));
  EXPECT_EQ(line(2, 7, Distribution::block, standard, 3), (Places{6}));
  EXPECT_EQ(line(1, 7, Distribution::block, 5, 3), (Places{5, 6}));
  EXPECT_EQ(line(2, 7, Distribution::block, 5, 3), (Places{}));
  EXPECT_EQ(line(1, 7, Distribution::cyclic, standard, 3), (Places{1, 4}));
  EXPECT_EQ(line(0, 7, Distribution::cyclic, 2, 2), (Places{0, 1, 4, 5}));
  EXPECT_EQ(line(1, 7, Distribution::cyclic, 2, 2), (Places{2, 3, 6}));
  EXPECT_EQ(line(0, 7, Distribution::none, standard, 1), (Places{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(line(1, 3, Distribution::cyclic, huge, 2), (Places{}));
}

TEST(Darray, BoundsAreThoseOfTheGlobalArray) {
  const auto rank = [](std::int64_t r) {
    return darray(6, r, {5, 7}, {Distribution::block, Distribution::cyclic}, {standard, standard}, {2, 3},
                  Order::c, resized(Named::int_, 2, 10));
  };
  expect_bounds(rank(0), 36, 0, 350, 0, 204);
  expect_bounds(rank(1), 24, 0, 350, 10, 174);
  expect_bounds(rank(3), 24, 0, 350, 210, 134);
  expect_bounds(rank(5), 16, 0, 350, 230, 104);
  expect_bounds(darray(3, 2, {2}, {Distribution::block}, {standard}, {3}, Order::c, Named::int_), 0, 0, 8, 0,
                0);
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

TEST(Darray, RanksAreRowMajorInBothOrders) {
  for (const Order order : {Order::c, Order::fortran}) {
    const Datatype type = darray(6, 4, {2, 3}, {Distribution::block, Distribution::block},
                                 {standard, standard}, {2, 3}, order, Named::byte);
    // Rank 4 of a 2 x 3 grid is (1, 1).
    EXPECT_EQ(byte_map(type), (Places{order == Order::c ? 4 : 3}));
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
  expect_invalid(Arguments{.size = 0}.call(), "size", "typewarp::darray: size = 0: must be positive");
  expect_invalid(Arguments{.size = 5}.call(), "size",
                 "typewarp::darray: size = 5: must be the product of process_sizes, which is 6");
  expect_invalid(Arguments{.rank = -1}.call(), "rank", "typewarp::darray: rank = -1: must not be negative");
  expect_invalid(Arguments{.rank = 6}.call(), "rank",
                 "typewarp::darray: rank = 6: must be less than size, which is 6");
  expect_invalid(Arguments{.process_sizes = {0, 3}}.call(), "process_sizes[0]",
                 "typewarp::darray: process_sizes[0] = 0: must be positive");
  expect_invalid(Arguments{.process_sizes = {huge, huge}}.call(), "process_sizes[1]",
                 "typewarp::darray: process_sizes[1] = 4611686018427387904: "
                 "the number of processes exceeds 64 bits");
}

TEST(Darray, ErrorsInDimensions) {
  expect_invalid(Arguments{.global_sizes = {}}.call(), "global_sizes",
                 "typewarp::darray: global_sizes = 0 entries: must have one a dimension");
  expect_invalid(
      Arguments{.distributions = {}}.call(), "distributions",
      "typewarp::darray: distributions = 0 entries: must have as many as global_sizes, which has 2");
  expect_invalid(Arguments{.arguments = {1}}.call(), "distribution_arguments",
                 "typewarp::darray: distribution_arguments = 1 entries: "
                 "must have as many as global_sizes, which has 2");
  expect_invalid(
      Arguments{.process_sizes = {6}}.call(), "process_sizes",
      "typewarp::darray: process_sizes = 1 entries: must have as many as global_sizes, which has 2");
  expect_invalid(Arguments{.global_sizes = {5, 0}}.call(), "global_sizes[1]",
                 "typewarp::darray: global_sizes[1] = 0: must be positive");
  expect_invalid(
      Arguments{.global_sizes = {huge, 7}}.call(), "global_sizes[0]",
      "typewarp::darray: global_sizes[0] = 4611686018427387904: the extent in bytes exceeds 64 bits");
}

TEST(Darray, ErrorsInDistributions) {
  expect_invalid(Arguments{.distributions = {Distribution::none, Distribution::cyclic}}.call(),
                 "process_sizes[0]",
                 "typewarp::darray: process_sizes[0] = 2: must be 1 in a dimension that is not distributed");
  expect_invalid(Arguments{.arguments = {standard, 0}}.call(), "distribution_arguments[1]",
                 "typewarp::darray: distribution_arguments[1] = 0: "
                 "must be positive, or default_distribution_argument");
  expect_invalid(Arguments{.arguments = {2, 1}}.call(), "distribution_arguments[0]",
                 "typewarp::darray: distribution_arguments[0] = 2: "
                 "times process_sizes, which is 2, must cover global_sizes, which is 5");
}

TEST(Darray, ErrorsInTheChild) {
  expect_invalid([] { darray(1, 0, {4}, {Distribution::none}, {standard}, {1}, Order::c, {}); }, "child",
                 "typewarp::darray: child = null: must not be the null datatype");
  expect_invalid(
      [] {
        darray(1, 0, {huge}, {Distribution::none}, {standard}, {1}, Order::c, resized(Named::int_, 0, 1));
      },
      "child",
      "typewarp::darray: child = 4 bytes: the size or a bound of the part that this process owns exceeds 64 "
      "bits");
}

}  // namespace
}  // namespace typewarp::test
