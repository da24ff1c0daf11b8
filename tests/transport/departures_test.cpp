// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/departures.hpp"

#include <gtest/gtest.h>

namespace typewarp::transport {
namespace {

const Peer one{1, 0, MPI_COMM_WORLD};
const Peer same_rank{1, 7, MPI_COMM_WORLD};
const Peer other_rank{2, 0, MPI_COMM_WORLD};
const Peer other_communicator{1, 0, MPI_COMM_SELF};

TEST(Departures, AreInLineForEachRankOfEachCommunicator) {
  Departures departures;
  EXPECT_FALSE(departures.any(one));
  const Departures::Place place = departures.join(one);
  EXPECT_TRUE(departures.any(one));
  EXPECT_TRUE(departures.any(same_rank)) << "a receive may take any tag";
  EXPECT_FALSE(departures.any(other_rank));
  EXPECT_FALSE(departures.any(other_communicator));
  EXPECT_TRUE(departures.join(other_rank).first());
  EXPECT_TRUE(departures.join(other_communicator).first());
}

TEST(Departures, LeaveInTheirOrder) {
  Departures departures;
  Departures::Place first = departures.join(one);
  Departures::Place second = departures.join(same_rank);
  const Departures::Place third = departures.join(one);
  EXPECT_TRUE(first.first());
  EXPECT_FALSE(second.first());
  EXPECT_FALSE(third.first());
  first.leave();
  EXPECT_FALSE(first);
  EXPECT_TRUE(second.first());
  EXPECT_FALSE(third.first());
}

TEST(Departures, WhoeverGoesKeepsNobodyElse) {
  Departures departures;
  {
    const Departures::Place first = departures.join(one);
    Departures::Place second = departures.join(one);
    const Departures::Place third = departures.join(one);
    second = Departures::Place();
    EXPECT_FALSE(third.first());
    EXPECT_TRUE(first.first());
  }
  EXPECT_FALSE(departures.any(one));
  EXPECT_TRUE(departures.join(one).first());
}

}  // namespace
}  // namespace typewarp::transport
