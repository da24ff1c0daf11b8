// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/batch.hpp>
#include <typewarp/host.hpp>

#include "engine/calls.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace typewarp {
namespace {

std::string message(std::span<const Piece> pieces, void* packed) {
  return test::message_of([&] { Batch(pieces, packed); });
}

TEST(Batch, NamesThePieceThatIsWrong) {
  const Plan plan = commit(vector(3, 1, 2, Named::int_));
  std::vector<int> data(16);
  std::byte packed[64];
  const Piece good{data.data(), 1, plan, 0};
  Piece wrong = good;
  wrong.count = -1;
  EXPECT_EQ(message(std::vector{good, wrong}, packed),
            "typewarp::Batch: pieces[1].count = -1: must not be negative");
  wrong = good;
  wrong.place = -4;
  EXPECT_EQ(message(std::vector{wrong}, packed),
            "typewarp::Batch: pieces[0].place = -4: must not be negative");
  wrong = good;
  wrong.count = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(message(std::vector{wrong}, packed).find("must fit 64 bits"), std::string::npos);
  EXPECT_EQ(message(std::vector{good}, nullptr), "typewarp::Batch: packed = null: must not be null");
}

TEST(Batch, OfNothingMovesNothing) {
  const Plan plan = commit(contiguous(0, Named::int_));
  Batch batch(std::vector<Piece>{{nullptr, 3, plan, 0}}, nullptr);
  batch.pack(nullptr);
  batch.unpack(nullptr);
  pack(std::span<const Piece>{}, nullptr, nullptr);
}

TEST(Batch, MovesPiecesOfHostMemory) {
  const Plan first = commit(vector(3, 1, 2, Named::int_));
  const Plan second = commit(indexed({2, 1}, {3, 0}, Named::short_));
  const std::vector<int> ints{1, 2, 3, 4, 5};
  const std::vector<short> shorts{6, 7, 8, 9, 10};
  std::vector<int> int_copy(ints.size());
  std::vector<short> short_copy(shorts.size());
  std::vector<std::byte> packed(20, std::byte{0xee}), expected(20, std::byte{0xee});
  host::pack(ints.data(), 1, first, expected.data() + 8, {0, 12});
  host::pack(shorts.data(), 1, second, expected.data() + 1, {0, 6});

  Batch batch(std::vector<Piece>{{const_cast<int*>(ints.data()), 1, first, 8},
                                 {const_cast<short*>(shorts.data()), 1, second, 1}},
              packed.data());
  batch.pack(nullptr);
  EXPECT_EQ(packed, expected);

  unpack(packed.data(), std::vector<Piece>{{int_copy.data(), 1, first, 8}, {short_copy.data(), 1, second, 1}},
         nullptr);
  EXPECT_EQ(int_copy, (std::vector<int>{1, 0, 3, 0, 5}));
  EXPECT_EQ(short_copy, (std::vector<short>{6, 0, 0, 9, 10}));
}

TEST(Batch, KeepsThePlans) {
  std::vector<int> data{1, 2, 3};
  std::vector<int> packed(2);
  std::optional<Plan> plan = commit(vector(2, 1, 2, Named::int_));
  Batch batch(std::vector<Piece>{{data.data(), 1, *plan, 0}}, packed.data());
  plan.reset();
  batch.pack(nullptr);
  EXPECT_EQ(packed, (std::vector<int>{1, 3}));
}

}  // namespace
}  // namespace typewarp
