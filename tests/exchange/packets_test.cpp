// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/packets.hpp"
#include "transport/fixture.hpp"

#include <string_view>

namespace typewarp {
namespace {

using exchange::Packet;
using exchange::Packets;

class PacketTest : public test::Session {};

TEST_F(PacketTest, GivesWhatWasPutInOrder) {
  Packet packet;
  packet.put(7);
  packet.put(2.5);
  packet.put_bytes(std::as_bytes(std::span(std::string_view("abc"))));
  EXPECT_EQ(packet.take<int>(), 7);
  EXPECT_EQ(packet.take<double>(), 2.5);
  EXPECT_EQ(packet.take_bytes(2).size(), 2U);
  EXPECT_THROW(packet.take<int>(), Error);
}

TEST_F(PacketTest, GoToTheirRanks) {
  Packets packets;
  std::set<int> all;
  for (int rank = 0; rank < ranks_; ++rank) {
    packets[rank].put(10 * rank_ + rank);
    all.insert(rank);
  }
  Packets received = exchange::swapped(comm_, packets, all, 5);
  for (int rank = 0; rank < ranks_; ++rank) EXPECT_EQ(received.at(rank).take<int>(), 10 * rank + rank_);
}

}  // namespace
}  // namespace typewarp
