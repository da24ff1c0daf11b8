// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/expect_invalid.hpp"
#include "support/random.hpp"
#include "support/type_map.hpp"

#include <typewarp/halo_field.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace typewarp::halo {
namespace {

struct Vector3 {
  double x, y, z;
};

const std::vector<Descriptor> plane{{1, 1, 1, 5, 6}, {2, 2, 2, 7, 9}};

TEST(HaloField, KnowsTheElementsOfCppTypes) {
  EXPECT_EQ(Field(static_cast<double*>(nullptr), plane).element().signature(),
            Datatype(Named::double_).signature());
  EXPECT_EQ(Field(static_cast<int*>(nullptr), plane).element().signature(),
            Datatype(Named::int_).signature());
  EXPECT_EQ(Field(static_cast<short*>(nullptr), plane).element().signature(),
            Datatype(Named::short_).signature());
  EXPECT_EQ(Field(static_cast<unsigned short*>(nullptr), plane).element().signature(),
            Datatype(Named::unsigned_short).signature());
  EXPECT_EQ(Field(static_cast<signed char*>(nullptr), plane).element().signature(),
            Datatype(Named::signed_char).signature());
  EXPECT_EQ(Field(static_cast<unsigned char*>(nullptr), plane).element().signature(),
            Datatype(Named::unsigned_char).signature());
  EXPECT_EQ(Field(static_cast<Vector3*>(nullptr), plane).element().size(), 24);
  EXPECT_EQ(Field(static_cast<std::complex<float>*>(nullptr), plane).element().size(), 8);
}

TEST(HaloField, WalksMemoryFromTheLargestStride) {
  const std::vector<Descriptor> box{without_halo(3), without_halo(5), without_halo(7)};
  double* const none = nullptr;
  EXPECT_EQ(Field(none, box).order(), (std::vector{0, 1, 2}));
  EXPECT_EQ(Field(none, box, Storage::fortran()).order(), (std::vector{2, 1, 0}));
  EXPECT_EQ(Field(none, box, Storage::permuted({1, 2, 0})).order(), (std::vector{2, 0, 1}));
  EXPECT_EQ(Field(none, box, Storage::strided({-100, 10, 1})).order(), (std::vector{0, 1, 2}));
}

TEST(HaloField, StepsAlongTheDimensionsOfTheProcessGrid) {
  const std::vector<Descriptor> box{without_halo(3), without_halo(5), without_halo(7)};
  const Field field(static_cast<double*>(nullptr), box, {}, {1, Field::undivided, 0});
  const Direction direction{-1, 1};
  EXPECT_EQ(field.step(direction, 0), 1);
  EXPECT_EQ(field.step(direction, 1), 0);
  EXPECT_EQ(field.step(direction, 2), -1);
}

/// What part() must have: the type map of each element of the box, in the order of `order`.
void expect_part(const Field& field, const std::vector<Range>& box, const std::vector<int>& order) {
  std::vector<std::int64_t> expected;
  const auto element = test::type_map(field.element());
  std::vector<std::int64_t> at(box.size(), 0);
  const bool empty = std::ranges::any_of(box, [](const Range& range) { return range.length() == 0; });
  for (bool more = !empty; more;) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < box.size(); ++d) offset += (box[d].begin + at[d]) * field.strides()[d];
    for (const auto& entry : element) expected.push_back(offset + entry.displacement);
    more = false;
    for (std::size_t k = order.size(); k-- > 0 && !more;) {
      const auto d = static_cast<std::size_t>(order[k]);
      more = ++at[d] < box[d].length();
      if (!more) at[d] = 0;
    }
  }
  std::vector<std::int64_t> found;
  for (const auto& entry : test::type_map(field.part(box, order))) found.push_back(entry.displacement);
  EXPECT_EQ(found, expected);
}

TEST(HaloField, PartsHaveTheElementsOfTheirBox) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const auto dimensions = static_cast<std::size_t>(random.range(1, 5));
    std::vector<Descriptor> descriptors;
    std::vector<Range> box;
    std::vector<int> map(dimensions), order(dimensions);
    std::vector<std::int64_t> padding;
    std::iota(map.begin(), map.end(), 0);
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(map);
    random.shuffle(order);
    for (std::size_t d = 0; d < dimensions; ++d) {
      descriptors.push_back(without_halo(random.range(1, 5)));
      const std::int64_t begin = random.range(0, descriptors[d].length());
      box.push_back({begin, begin + random.range(0, descriptors[d].length() - begin)});
      padding.push_back(random.range(0, 2));
    }
    const Datatype element =
        random.one_in(2) ? Datatype(Named::int_) : structure({1, 1}, {0, 8}, {Named::int_, Named::double_});
    const Field field(nullptr, element, descriptors, Storage::permuted(map, padding));
    expect_part(field, box, order);
  }
}

TEST(HaloField, NamesWhatIsWrong) {
  const auto argument = [](const Datatype& element, const std::vector<int>& along) {
    return test::invalid_argument([&] { Field(nullptr, element, plane, {}, along); });
  };
  EXPECT_EQ(argument(Named::int_, {1, 0}), "nothing");
  EXPECT_EQ(argument(Named::int_, {Field::undivided, Field::undivided}), "nothing");
  EXPECT_EQ(argument({}, {}), "element");
  EXPECT_EQ(argument(contiguous(0, Named::int_), {}), "element");
  EXPECT_EQ(argument(resized(Named::int_, 0, 2), {}), "element");
  EXPECT_EQ(argument(Named::int_, {0}), "along.size()");
  EXPECT_EQ(argument(Named::int_, {0, 0}), "along[1]");
  EXPECT_EQ(argument(Named::int_, {-2, 0}), "along[0]");
  EXPECT_EQ(argument(Named::int_, {0, 8}), "along[1]");
  test::expect_invalid(
      [] { Field(static_cast<int*>(nullptr), {{1, 1, 1, 3, 4}, {1, 1, 0, 3, 4}}); }, "descriptors[1].begin",
      "typewarp::halo::check: descriptors[1].begin = 0: must not be less than minus, which is 1");
}

}  // namespace
}  // namespace typewarp::halo
