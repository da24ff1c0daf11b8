// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fields.hpp"

#include <gtest/gtest.h>

namespace typewarp::halo_bench {
namespace {

constexpr Cube cube{4, 2, {4, 0, 0}, {8, 4, 4}};
constexpr std::int64_t length = 8;

std::int64_t cell(std::int64_t i, std::int64_t j, std::int64_t k) { return (i * length + j) * length + k; }

/// Where an owned cell is that holds what this one is a copy of, as far as this rank has it.
std::int64_t source(std::int64_t i, std::int64_t j, std::int64_t k) {
  const auto wrapped = [](std::int64_t at) { return (at - 2 + 4) % 4 + 2; };
  return cell(i, wrapped(j), wrapped(k));
}

/// Fills the halos that lie beside owned planes: those of the other planes are another rank's.
class FieldsTest : public testing::Test {
 protected:
  FieldsTest() { fields_.fill(); }

  Fields fields_{Place::host, cube, 2, nullptr};
};

TEST_F(FieldsTest, AreWrongInEveryHaloBeforeAnExchange) { EXPECT_EQ(fields_.wrong(), 2 * (512 - 64)); }

TEST_F(FieldsTest, AreRightWhereHalosHoldTheirSource) {
  for (std::int64_t field = 0; field < 2; ++field) {
    double* const data = fields_.data(field);
    for (std::int64_t i = 2; i < 6; ++i) {
      for (std::int64_t j = 0; j < length; ++j) {
        for (std::int64_t k = 0; k < length; ++k) data[cell(i, j, k)] = data[source(i, j, k)];
      }
    }
  }
  EXPECT_EQ(fields_.wrong(), 2 * 4 * length * length);
}

TEST_F(FieldsTest, DoNotTakeWhatAnExchangeBeforeHasLeft) {
  const double before = fields_.data(0)[cell(2, 2, 2)];
  fields_.fill();
  const std::int64_t wrong = fields_.wrong();
  fields_.data(0)[cell(2, 6, 2)] = before;
  EXPECT_EQ(fields_.wrong(), wrong);
  fields_.data(0)[cell(2, 6, 2)] = fields_.data(0)[cell(2, 2, 2)];
  EXPECT_EQ(fields_.wrong(), wrong - 1);
}

TEST_F(FieldsTest, AreWrongWhereAnOwnedCellHasChanged) {
  const std::int64_t wrong = fields_.wrong();
  fields_.data(1)[cell(3, 4, 5)] += 1;
  EXPECT_EQ(fields_.wrong(), wrong + 1);
}

TEST_F(FieldsTest, ComputeTheCellsOfASpanAndNoOther) {
  std::vector<double> next(512, untouched);
  for (std::int64_t at = 0; at < 512; ++at) fields_.data(0)[at] = static_cast<double>(at);
  fields_.compute({{3, 2, 4}, {2, 1, 1}}, next.data(), 0);
  for (std::int64_t at = 0; at < 512; ++at) {
    const bool computed = at == cell(3, 2, 4) || at == cell(4, 2, 4);
    EXPECT_EQ(next[static_cast<std::size_t>(at)], computed ? static_cast<double>(at) : untouched) << at;
  }
}

TEST_F(FieldsTest, KeepTheirDifferencesInRoundsOfArithmetic) {
  std::vector<double> next(512, untouched);
  for (std::int64_t at = 0; at < 512; ++at) fields_.data(0)[at] = static_cast<double>(at);
  for (const int rounds : {1, 2}) {
    fields_.compute({{3, 2, 4}, {1, 1, 1}}, next.data(), rounds);
    const auto value = static_cast<double>(cell(3, 2, 4));
    EXPECT_EQ(next[static_cast<std::size_t>(cell(3, 2, 4))], rounds == 1 ? 1 - value : value);
  }
}

class StencilTest : public FieldsTest {
 protected:
  StencilTest() { fields_.clear(next_.data()); }

  static constexpr int rounds = 2;
  const Span3 some_{{3, 2, 3}, {2, 2, 2}};
  std::vector<double> next_ = std::vector<double>(512);
};

TEST_F(StencilTest, IsWrongWhereItWasNotComputed) {
  EXPECT_EQ(fields_.wrong(some_, next_.data(), rounds), 8);
}

TEST_F(StencilTest, IsRightWhereAllOfItWas) {
  fields_.compute({{3, 2, 3}, {1, 2, 2}}, next_.data(), rounds);
  EXPECT_EQ(fields_.wrong(some_, next_.data(), rounds), 4);
  fields_.compute({{4, 2, 3}, {1, 2, 2}}, next_.data(), rounds);
  EXPECT_EQ(fields_.wrong(some_, next_.data(), rounds), 0);
}

TEST_F(StencilTest, IsWrongWhereMoreWasComputed) {
  fields_.compute({{3, 2, 3}, {2, 2, 3}}, next_.data(), rounds);
  EXPECT_EQ(fields_.wrong(some_, next_.data(), rounds), 4);
}

TEST_F(StencilTest, IsWrongWhereItIsOfWhatWasThereBefore) {
  fields_.compute(some_, next_.data(), rounds);
  fields_.fill();
  EXPECT_EQ(fields_.wrong(some_, next_.data(), rounds), 8);
}

}  // namespace
}  // namespace typewarp::halo_bench
