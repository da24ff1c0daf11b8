// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/expect_invalid.hpp"

#include <typewarp/halo_field.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace typewarp::halo {
namespace {

using Integers = std::vector<std::int64_t>;

const std::vector<Descriptor> box{without_halo(3), without_halo(5), without_halo(7)};

TEST(HaloStorage, IsInCOrderUnlessAsked) {
  EXPECT_EQ(Storage().strides(box, 8), (Integers{280, 56, 8}));
  EXPECT_EQ(Storage::fortran().strides(box, 8), (Integers{8, 24, 120}));
}

// <0,1,2> is C, <2,1,0> Fortran.
TEST(HaloStorage, TakesTheLayoutMapsOfTheGcl) {
  EXPECT_EQ(Storage::permuted({0, 1, 2}).strides(box, 4), Storage().strides(box, 4));
  EXPECT_EQ(Storage::permuted({2, 1, 0}).strides(box, 4), Storage::fortran().strides(box, 4));
  EXPECT_EQ(Storage::permuted({1, 2, 0}).strides(box, 1), (Integers{5, 1, 15}));
  std::array map{0, 1, 2};
  do {
    const Integers strides = Storage::permuted({map.begin(), map.end()}).strides(box, 1);
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) EXPECT_EQ(strides[a] > strides[b], map[a] < map[b]);
    }
  } while (std::ranges::next_permutation(map).found);
}

TEST(HaloStorage, LeavesPaddingBehindADimension) {
  EXPECT_EQ(Storage::permuted({0, 1, 2}, {9, 0, 1}).strides(box, 8), (Integers{320, 64, 8}));
}

TEST(HaloStorage, TakesAnyStrides) {
  EXPECT_EQ(Storage::strided({100, -10, 1}).strides(box, 8), (Integers{800, -80, 8}));
  EXPECT_EQ(Storage::byte_strided({1000, 90, 12}).strides(box, 12), (Integers{1000, 90, 12}));
  const std::vector<Descriptor> thin{without_halo(1), without_halo(5)};
  EXPECT_EQ(Storage::strided({0, 1}).strides(thin, 8), (Integers{0, 8}));
}

TEST(HaloStorage, NamesWhatIsWrong) {
  const auto argument = [](const Storage& storage) {
    return test::invalid_argument([&] { static_cast<void>(storage.strides(box, 8)); });
  };
  EXPECT_EQ(argument(Storage::permuted({0, 1})), "map.size()");
  EXPECT_EQ(argument(Storage::permuted({0, 1, 3})), "map[2]");
  EXPECT_EQ(argument(Storage::permuted({0, 1, 1})), "map[2]");
  EXPECT_EQ(argument(Storage::permuted({-1, 1, 0})), "map[0]");
  EXPECT_EQ(argument(Storage::permuted({0, 1, 2}, {0})), "padding.size()");
  EXPECT_EQ(argument(Storage::permuted({0, 1, 2}, {0, 0, -1})), "padding[2]");
  EXPECT_EQ(argument(Storage::strided({35, 7})), "strides.size()");
  EXPECT_EQ(argument(Storage::strided({35, 6, 1})), "strides[1]");
  EXPECT_EQ(argument(Storage::byte_strided({280, 56, 4})), "strides[2]");
  EXPECT_EQ(argument(Storage::strided({std::int64_t{1} << 61, 7, 1})), "strides[0]");
  EXPECT_EQ(argument(Storage::strided({std::int64_t{1} << 59, 7, 1})), "strides[0]");
  EXPECT_EQ(argument(Storage::permuted({0, 1, 2}, {0, 0, std::int64_t{1} << 60})),
            "descriptors[2].total_length");
}

}  // namespace
}  // namespace typewarp::halo
