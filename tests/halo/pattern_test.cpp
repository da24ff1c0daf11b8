// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/pattern.hpp"

#include <gtest/gtest.h>

#include <array>

namespace typewarp::halo {
namespace {

constexpr int here = 5;

HaloTransfer transfer(int to, int from, const std::vector<std::int64_t>& lengths) {
  HaloTransfer made{{}, to, from, {}, {}, {}, {}};
  for (const std::int64_t length : lengths) {
    made.sent.push_back({{0, length}});
    made.received.push_back({{10, 10 + length}});
    made.sent_order.push_back({0});
    made.received_order.push_back({0});
  }
  return made;
}

std::vector<std::size_t> indices(const std::vector<schedule::Part>& parts) {
  std::vector<std::size_t> indices;
  for (const schedule::Part& part : parts) indices.push_back(part.index);
  return indices;
}

TEST(HaloPattern, FieldsWithTheLargestWordsComeFirst) {
  std::array<char, 64> bytes{};
  std::array<double, 64> doubles{};
  std::array<float, 64> floats{};
  const std::vector<Descriptor> descriptors{with_halo(16, 4)};
  const std::vector<Field> fields{
      {bytes.data(), descriptors}, {doubles.data(), descriptors}, {floats.data(), descriptors}};
  // Process 2 is on two sides, one side leads here, and one to nobody.
  const Transfers transfers{transfer(2, 3, {3, 1, 1}), transfer(here, here, {5, 1, 0}),
                            transfer(7, MPI_PROC_NULL, {1, 1, 1}), transfer(2, 2, {7, 2, 3})};
  const schedule::Schedule made = schedule_of(fields, transfers, here);
  EXPECT_EQ(indices(made.sends), (std::vector<std::size_t>{1, 4, 7, 10, 2, 8, 11, 0, 3, 6, 9}));
  EXPECT_EQ(indices(made.receives), (std::vector<std::size_t>{1, 4, 10, 2, 11, 0, 3, 9}));
  const schedule::Part& part = made.receives[2];
  EXPECT_EQ(part.peer, 2);
  EXPECT_EQ(part.buffer, doubles.data());
  EXPECT_EQ(part.bytes, 2 * 8);
}

}  // namespace
}  // namespace typewarp::halo
