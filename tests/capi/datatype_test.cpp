// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "capi/types_in_c.hpp"
#include "support/random_type.hpp"

#include <typewarp/array_shape.hpp>
#include <typewarp/plan.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace typewarp::test {
namespace {

constexpr std::uint64_t random_types = 500;

template <class Handle>
std::string text_of(tw_result (*to_string)(const Handle*, char*, int64_t, int64_t*), const Handle* handle) {
  int64_t length = -1;
  EXPECT_EQ(to_string(handle, nullptr, 0, &length), TW_SUCCESS);
  std::string text(static_cast<std::size_t>(length) + 1, '?');
  EXPECT_EQ(to_string(handle, text.data(), length + 1, &length), TW_SUCCESS);
  EXPECT_EQ(text.back(), '\0');
  text.pop_back();
  return text;
}

void expect_same(const tw_datatype* made, const Datatype& type) {
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(text_of(tw_datatype_to_string, made), type.to_string());
  std::array<int64_t, 7> got{};
  int contiguous = -1;
  EXPECT_EQ(tw_datatype_get_size(made, got.data(), &got[1]), TW_SUCCESS);
  EXPECT_EQ(tw_datatype_get_extent(made, &got[2], &got[3]), TW_SUCCESS);
  EXPECT_EQ(tw_datatype_get_true_extent(made, &got[4], &got[5]), TW_SUCCESS);
  EXPECT_EQ(tw_datatype_elements_in(made, type.size() / 2, &got[6]), TW_SUCCESS);
  EXPECT_EQ(tw_datatype_is_contiguous(made, &contiguous), TW_SUCCESS);
  EXPECT_EQ(got,
            (std::array<int64_t, 7>{type.size(), type.elements(), type.lb(), type.extent(), type.true_lb(),
                                    type.true_extent(), type.elements_in(type.size() / 2)}));
  EXPECT_EQ(contiguous, type.contiguous() ? 1 : 0);
}

TEST(DatatypeInC, OfRandomTreesIsThatOfCpp) {
  for (std::uint64_t seed = 1; seed <= random_types; ++seed) {
    const Datatype type = random_type(seed);
    TypesInC types;
    expect_same(types.of(type), type);
    ASSERT_FALSE(HasFailure()) << "seed " << seed << "\n" << type;
  }
}

TEST(DatatypeInC, SignaturesAreCompared) {
  const Datatype one = vector(3, 2, 5, Named::int_);
  const std::array<Datatype, 3> others{contiguous(6, Named::int_), contiguous(5, Named::int_),
                                       contiguous(6, Named::float_)};
  TypesInC types;
  for (const Datatype& other : others) {
    int same = -1;
    EXPECT_EQ(tw_datatype_same_signature(types.of(one), types.of(other), &same), TW_SUCCESS);
    EXPECT_EQ(same, one.signature() == other.signature() ? 1 : 0) << other;
  }
}

#define NAMED(x) {TW_##x, "MPI_" #x}
TEST(DatatypeInC, NamesAreTheMpis) {
  const std::array<std::pair<int, const char*>, TW_2INTEGER + 1> names{{
      NAMED(CHAR),
      NAMED(SIGNED_CHAR),
      NAMED(UNSIGNED_CHAR),
      NAMED(BYTE),
      NAMED(PACKED),
      NAMED(WCHAR),
      NAMED(SHORT),
      NAMED(UNSIGNED_SHORT),
      NAMED(INT),
      NAMED(UNSIGNED),
      NAMED(LONG),
      NAMED(UNSIGNED_LONG),
      NAMED(LONG_LONG),
      NAMED(UNSIGNED_LONG_LONG),
      NAMED(FLOAT),
      NAMED(DOUBLE),
      NAMED(LONG_DOUBLE),
      NAMED(C_BOOL),
      NAMED(INT8_T),
      NAMED(INT16_T),
      NAMED(INT32_T),
      NAMED(INT64_T),
      NAMED(UINT8_T),
      NAMED(UINT16_T),
      NAMED(UINT32_T),
      NAMED(UINT64_T),
      NAMED(C_FLOAT_COMPLEX),
      NAMED(C_DOUBLE_COMPLEX),
      NAMED(C_LONG_DOUBLE_COMPLEX),
      NAMED(CXX_BOOL),
      NAMED(CXX_FLOAT_COMPLEX),
      NAMED(CXX_DOUBLE_COMPLEX),
      NAMED(CXX_LONG_DOUBLE_COMPLEX),
      NAMED(AINT),
      NAMED(COUNT),
      NAMED(OFFSET),
      NAMED(CHARACTER),
      NAMED(LOGICAL),
      NAMED(INTEGER),
      NAMED(REAL),
      NAMED(DOUBLE_PRECISION),
      NAMED(COMPLEX),
      NAMED(DOUBLE_COMPLEX),
      NAMED(INTEGER1),
      NAMED(INTEGER2),
      NAMED(INTEGER4),
      NAMED(INTEGER8),
      NAMED(REAL4),
      NAMED(REAL8),
      NAMED(REAL16),
      NAMED(COMPLEX8),
      NAMED(COMPLEX16),
      NAMED(COMPLEX32),
      NAMED(LOGICAL1),
      NAMED(LOGICAL2),
      NAMED(LOGICAL4),
      NAMED(LOGICAL8),
      NAMED(LOGICAL16),
      NAMED(FLOAT_INT),
      NAMED(DOUBLE_INT),
      NAMED(LONG_INT),
      NAMED(2INT),
      NAMED(SHORT_INT),
      NAMED(LONG_DOUBLE_INT),
      NAMED(2REAL),
      NAMED(2DOUBLE_PRECISION),
      NAMED(2INTEGER),
  }};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& [value, text] = names[i];
    EXPECT_EQ(value, static_cast<int>(i));
    EXPECT_EQ(name(static_cast<Named>(value)), text);
    expect_same(tw_datatype_named(value), static_cast<Named>(value));
  }
}
#undef NAMED

TEST(DatatypeInC, OfArraysIsThatOfTheirShapes) {
  const std::array<std::int64_t, 3> sizes{4, 3, 2};
  const std::array<std::int64_t, 3> strides{-20, 6, 1};
  tw_datatype* made = nullptr;
  ASSERT_EQ(tw_datatype_array(3, sizes.data(), strides.data(), TW_FLOAT, &made), TW_SUCCESS);
  expect_same(made, datatype_of(ArrayShape(sizes, strides), Named::float_));
  tw_datatype_free(made);
  ASSERT_EQ(tw_datatype_array(3, sizes.data(), nullptr, TW_FLOAT, &made), TW_SUCCESS);
  expect_same(made, datatype_of(ArrayShape(sizes), Named::float_));
  tw_datatype_free(made);
}

TEST(DatatypeInC, TextIsCutToItsRoom) {
  const tw_datatype* const type = tw_datatype_named(TW_DOUBLE);
  std::array<char, 5> text{'?', '?', '?', '?', '?'};
  int64_t length = -1;
  ASSERT_EQ(tw_datatype_to_string(type, text.data(), 4, &length), TW_SUCCESS);
  EXPECT_EQ(std::string(text.data(), text.size()), std::string("MPI\0?", 5));
  EXPECT_EQ(length, static_cast<int64_t>(Datatype(Named::double_).to_string().size()));
  EXPECT_EQ(tw_datatype_to_string(type, text.data(), 4, nullptr), TW_SUCCESS);
}

TEST(PlanInC, OfARandomTypeIsThatOfCpp) {
  for (std::uint64_t seed = 1; seed <= random_types; ++seed) {
    const Plan expected = commit(random_type(seed));
    const PlanInC plan = plan_in_c(expected.datatype());
    int64_t size = -1;
    int64_t extent = -1;
    ASSERT_EQ(tw_plan_get(plan.get(), &size, &extent), TW_SUCCESS);
    EXPECT_EQ(size, expected.size());
    EXPECT_EQ(extent, expected.extent());
    EXPECT_EQ(text_of(tw_plan_to_string, plan.get()), expected.layout().to_string()) << "seed " << seed;
  }
}

TEST(PlanInC, TakesHintsOneByOne) {
  const PlanInC plain = plan_in_c(vector(3, 1, 2, Named::double_));
  tw_plan* made = nullptr;
  ASSERT_EQ(tw_plan_with_hint(plain.get(), "max_blocks", "8", &made), TW_SUCCESS);
  const PlanInC bounded(made);
  ASSERT_EQ(tw_plan_with_hint(bounded.get(), "typewarp_avoid", "copy_engines", &made), TW_SUCCESS);
  const PlanInC both(made);
  EXPECT_EQ(text_of(tw_plan_hints, plain.get()), "none");
  EXPECT_EQ(text_of(tw_plan_hints, bounded.get()), "max_blocks=8");
  EXPECT_EQ(text_of(tw_plan_hints, both.get()), "avoid=copy_engines, max_blocks=8");
}

}  // namespace
}  // namespace typewarp::test
