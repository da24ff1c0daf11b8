// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/explain.hpp>
#include <typewarp/layout.hpp>

#include <gtest/gtest.h>

namespace typewarp {
namespace {

std::string text(const std::string& expression) { return datatype_of(expression).to_string(); }

TEST(Expression, SaysWhatTheConstructorSays) {
  const std::vector<std::pair<std::string, Datatype>> pairs{
      {"double", Named::double_},
      {"MPI_DOUBLE_INT", Named::double_int},
      {"int64_t", Named::int64},
      {"contiguous(3, int)", contiguous(3, Named::int_)},
      {"vector(4, 2, 5, double)", vector(4, 2, 5, Named::double_)},
      {"hvector(4, 2, -40, double)", hvector(4, 2, -40, Named::double_)},
      {"indexed([1, 2], [0, 5], char)", indexed({1, 2}, {0, 5}, Named::char_)},
      {"hindexed([1, 2], [0, 5], char)", hindexed({1, 2}, {0, 5}, Named::char_)},
      {"indexed_block(2, [0, 5], char)", indexed_block(2, {0, 5}, Named::char_)},
      {"hindexed_block(2, [0, 5], char)", hindexed_block(2, {0, 5}, Named::char_)},
      {"struct([1, 2], [0, 8], [double, int])", structure({1, 2}, {0, 8}, {Named::double_, Named::int_})},
      {"subarray([8, 9], [2, 3], [1, 1], fortran, int)",
       subarray({8, 9}, {2, 3}, {1, 1}, Order::fortran, Named::int_)},
      {"darray(2, 1, [8, 8], [block, none], [default, 3], [2, 1], c, int)",
       darray(2, 1, {8, 8}, {Distribution::block, Distribution::none}, {default_distribution_argument, 3},
              {2, 1}, Order::c, Named::int_)},
      {"resized(int, -4, 16)", resized(Named::int_, -4, 16)},
      {"dup(vector(2, 1, 2, int))", dup(vector(2, 1, 2, Named::int_))}};
  for (const auto& [expression, type] : pairs) EXPECT_EQ(text(expression), type.to_string()) << expression;
}

TEST(Expression, ArgumentsMayBeNamedInAnyOrder) {
  const std::string expected = text("vector(4, 2, 5, double)");
  EXPECT_EQ(text("vector(count=4, blocklength=2, stride=5, child=double)"), expected);
  EXPECT_EQ(text("vector(stride=5, 4, 2, double)"), expected);
  EXPECT_EQ(text("vector(child=double, 4, 2, 5)"), expected);
}

TEST(Expression, OrderOfCNeedsNotBeSaid) {
  EXPECT_EQ(text("subarray([8], [2], [1], int)"), text("subarray([8], [2], [1], c, int)"));
  EXPECT_EQ(text("subarray([8], [2], [1], child=int)"), text("subarray([8], [2], [1], c, int)"));
}

TEST(Expression, NumbersAreSumsProductsAndUnits) {
  EXPECT_EQ(text("contiguous(2 * 3 + 4 - 1, int)"), text("contiguous(9, int)"));
  EXPECT_EQ(text("contiguous(2 * (3 + 4), int)"), text("contiguous(14, int)"));
  EXPECT_EQ(text("contiguous(2Ki, int)"), text("contiguous(2048, int)"));
  EXPECT_EQ(text("hvector(2, 1, -(8 + 8), int)"), text("hvector(2, 1, -16, int)"));
}

TEST(Expression, ListsRepeatAndRange) {
  EXPECT_EQ(text("indexed([1, 2] * 2, range(0, 16, 4), int)"),
            text("indexed([1, 2, 1, 2], [0, 4, 8, 12], int)"));
  EXPECT_EQ(text("indexed_block(1, range(3), int)"), text("indexed_block(1, [0, 1, 2], int)"));
  EXPECT_EQ(text("indexed_block(1, range(4, 0, -2), int)"), text("indexed_block(1, [4, 2], int)"));
  EXPECT_EQ(text("indexed_block(1, [], int)"), text("indexed_block(1, range(0), int)"));
}

struct Wrong {
  std::string expression, error;
};

class WrongExpression : public testing::TestWithParam<Wrong> {};

TEST_P(WrongExpression, IsALineThatNamesPlaceAndRule) {
  try {
    datatype_of(GetParam().expression);
    FAIL() << "nothing was thrown";
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.what(), GetParam().error);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongExpression,
    testing::Values(
        Wrong{"", "column 1: expected a number, a list, or a datatype, not the end"},
        Wrong{"vektor(1, 2, 3, int)",
              "column 1: there is no constructor 'vektor': expected one of contiguous, vector, hvector, "
              "indexed, hindexed, "
              "indexed_block, hindexed_block, struct, subarray, darray, resized, dup"},
        Wrong{"dubble", "column 1: there is no datatype 'dubble'"},
        Wrong{"contiguous(3, dubble)", "column 15: there is no datatype 'dubble'"},
        Wrong{"vector", "column 1: expected '(' behind 'vector'"},
        Wrong{"vector(1, 2, 3, int", "column 20: expected ',' or ')', not the end"},
        Wrong{"vector(1, 2 3, int)", "column 13: expected ',' or ')', not '3'"},
        Wrong{"vector(1, 2, int)", "column 1: expected 'child' in vector(count, blocklength, stride, child)"},
        Wrong{"vector(1, 2, 3, int, 5)",
              "column 22: one more than vector(count, blocklength, stride, child)"},
        Wrong{"vector(1, 2, step=3, int)",
              "column 19: there is no 'step' in vector(count, blocklength, stride, child)"},
        Wrong{"vector(1, 2, 3, stride=3, int)",
              "column 27: one more than vector(count, blocklength, stride, child)"},
        Wrong{"vector(count=1, count=2, 3, int)", "column 23: 'count' is given twice"},
        Wrong{"vector(-1, 2, 3, int)", "column 8: typewarp::vector: count = -1: must not be negative"},
        Wrong{"vector(int, 2, 3, int)", "column 8: expected a number, not 'int'"},
        Wrong{"indexed(1, [0], int)", "column 9: expected a list [...], not 1"},
        Wrong{"indexed([1, [2]], [0, 1], int)", "column 13: expected a number, not a list"},
        Wrong{"indexed([1, 2], [0, 1, int)", "column 27: expected ',' or ']', not ')'"},
        Wrong{"contiguous(1.5, int)", "column 13: expected ',' or ')', not '.'"},
        Wrong{"contiguous(5kb, int)",
              "column 13: expected a number or one of Ki, Mi, Gi behind it, not 'kb'"},
        Wrong{"contiguous(99999999999999999999, int)", "column 12: the number is beyond 64 bits"},
        Wrong{"contiguous(9223372036854775807 + 1, int)", "column 12: the number is beyond 64 bits"},
        Wrong{"contiguous(int * 2, int)", "column 12: expected a number beside '*'"},
        Wrong{"int int", "column 5: expected the end, not 'i'"},
        Wrong{"5", "column 1: expected a datatype, not 5"},
        Wrong{"subarray([4], [2], [0], d, int)", "column 25: expected c or fortran, not 'd'"},
        Wrong{"darray(1, 0, [4], [blocks], [default], [1], int)",
              "column 20: expected none, block or cyclic, not 'blocks'"},
        Wrong{"indexed_block(1, range(0, 4, 0), int)", "column 30: a step of 0"},
        Wrong{"indexed_block(1, range(), int)",
              "column 18: expected range(end), range(begin, end) or range(begin, end, step)"},
        Wrong{"indexed_block(1, [1] * -2, int)", "column 18: a list repeated -2 times"},
        Wrong{"indexed_block(1, [[1] * 4] * 1Mi, int)", "column 19: a list within a list"},
        Wrong{"contiguous(-(0 - 9223372036854775807 - 1), int)", "column 12: the number is beyond 64 bits"},
        Wrong{"indexed_block(1, [1] * 1Gi, int)", "column 18: lists of more than 1048576 entries in all"},
        Wrong{"indexed([1], range(9223372036854775807), double)",
              "column 14: lists of more than 1048576 entries in all"},
        Wrong{"indexed([1], range(9223372036854775807, -9223372036854775807, -1), double)",
              "column 14: lists of more than 1048576 entries in all"},
        Wrong{"indexed(range(600Ki), range(600Ki), double)",
              "column 23: lists of more than 1048576 entries in all"},
        Wrong{"struct([1, 1], [0, 8], [indexed_block(1, range(600Ki), int), indexed_block(1, [1] * 600Ki, "
              "int)])",
              "column 79: lists of more than 1048576 entries in all"}));

TEST(Expression, NestedTooDeepIsRefusedAndNotFollowed) {
  EXPECT_THROW(datatype_of(std::string(100000, '(')), ExpressionError);
  EXPECT_THROW(datatype_of("contiguous(" + std::string(100000, '-') + "1, int)"), ExpressionError);
}

}  // namespace
}  // namespace typewarp
