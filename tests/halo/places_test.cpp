// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/places.hpp"

#include <gtest/gtest.h>

#include <array>

namespace typewarp::halo {
namespace {

constexpr int here = 5;

/// What moves `lengths` elements of fields of one dimension.
Transfer transfer(int to, int from, std::vector<std::int64_t> lengths) {
  Transfer made{{}, to, from, {}, {}, {}, {}};
  for (const std::int64_t length : lengths) {
    made.sent.push_back({{0, length}});
    made.received.push_back({{10, 10 + length}});
  }
  return made;
}

class HaloPlaces : public testing::Test {
 protected:
  std::array<char, 64> bytes_{};
  std::array<double, 64> doubles_{};
  std::array<float, 64> floats_{};
  const std::vector<Descriptor> descriptors_{with_halo(16, 4)};
  const std::vector<Field> fields_{
      {bytes_.data(), descriptors_}, {doubles_.data(), descriptors_}, {floats_.data(), descriptors_}};
  /// Process 2 is on two sides, and one side leads here.
  const Stage stage_{transfer(2, 3, {3, 1, 1}), transfer(here, here, {5, 1, 0}),
                     transfer(7, MPI_PROC_NULL, {1, 1, 1}), transfer(2, 2, {7, 2, 3})};
};

TEST_F(HaloPlaces, PartsForAProcessAreOneMessageWithTheLargestWordsFirst) {
  const std::vector<Message> messages = messages_of(fields_, stage_, sending);
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0].process, 2);
  EXPECT_EQ(messages[0].parts, (std::vector<PartOf>{{0, 1}, {3, 1}, {0, 2}, {3, 2}, {0, 0}, {3, 0}}));
  EXPECT_EQ(messages[1].process, here);
  EXPECT_EQ(messages[1].parts, (std::vector<PartOf>{{1, 1}, {1, 2}, {1, 0}}));
  EXPECT_EQ(messages[2].process, 7);
}

TEST_F(HaloPlaces, AnEndWithoutAProcessHasNoMessage) {
  const std::vector<Message> messages = messages_of(fields_, stage_, receiving);
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0].process, 3);
  EXPECT_EQ(messages[1].process, here);
  EXPECT_EQ(messages[2].process, 2);
}

TEST_F(HaloPlaces, MessagesHaveNoGapsAndShareNoCacheLine) {
  const Places places = places_of(fields_, stage_, here, true);
  // 2: 1 + 2 doubles, 1 + 3 floats, 3 + 7 bytes.
  EXPECT_EQ(places.sent[0], (std::vector<std::int64_t>{40, 0, 24}));
  EXPECT_EQ(places.sent[3], (std::vector<std::int64_t>{43, 8, 28}));
  EXPECT_EQ(places.sent[2], (std::vector<std::int64_t>{64 + 12, 64, 64 + 8}));
  EXPECT_EQ(places.received[0], (std::vector<std::int64_t>{128 + 12, 128, 128 + 8}));
  EXPECT_EQ(places.received[3], (std::vector<std::int64_t>{192 + 28, 192, 192 + 16}));
  EXPECT_EQ(places.end, 256);
}

TEST_F(HaloPlaces, WhatStaysIsUnpackedFromWhereItWasPacked) {
  for (const bool messages : {false, true}) {
    const Places places = places_of(fields_, stage_, here, messages);
    EXPECT_EQ(places.sent[1], (std::vector<std::int64_t>{8, 0, 8}));
    EXPECT_EQ(places.received[1], places.sent[1]);
    EXPECT_EQ(places.own_end, 64);
    EXPECT_EQ(places.end, messages ? 256 : 0);
  }
}

}  // namespace
}  // namespace typewarp::halo
