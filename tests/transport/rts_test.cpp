// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/rts.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace typewarp::transport {
namespace {

constexpr Identity identity{0x0123456789abcdef, 42};

TEST(Rts, SaysWhatItWasToldTo) {
  Rts sent{.bytes = std::int64_t{1} << 40, .piece_limit = 65536, .sender = 7, .reply_tag = 12345};
  sent.link_bytes = Rts::any_length;
  const auto received = Rts::decode(sent.encode(identity).data(), identity);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->bytes, sent.bytes);
  EXPECT_EQ(received->piece_limit, 65536);
  EXPECT_EQ(received->sender, 7);
  EXPECT_EQ(received->reply_tag, 12345);
  EXPECT_EQ(received->link_bytes, Rts::any_length);
}

RemoteKey an_offer() {
  RemoteKey offer{gpu::SharedMemory{gpu::SharedMemory::Kind::ipc, {1, 2}, 3, 4, 5, 6, {}, {}},
                  true,
                  7,
                  {{8, 9}},
                  10,
                  true,
                  gpu::SharedMemory{gpu::SharedMemory::Kind::ipc, {15, 16}, 17, 18, 19, 20, {}, {}},
                  21,
                  22,
                  static_cast<std::int32_t>(RemoteKey::longest_inline_wire)};
  offer.memory.device.fill(std::byte{11});
  offer.memory.handle.fill(std::byte{12});
  offer.inline_wire.fill(std::byte{13});
  offer.inline_wire.back() = std::byte{14};
  return offer;
}

TEST(Rts, CarriesARing) {
  const std::byte data{};
  EXPECT_FALSE(Rts::decode(Rts{1000, 0, 0, 0}.encode(identity).data(), identity)->ring);
  const Rts sent{.bytes = 1000,
                 .piece_limit = 0,
                 .sender = 0,
                 .reply_tag = 0,
                 .ring = RingKey{63, std::int64_t{1} << 40, &data}};
  const auto received = Rts::decode(sent.encode(identity).data(), identity);
  ASSERT_TRUE(received && received->ring);
  EXPECT_FALSE(received->offer);
  EXPECT_EQ(received->ring->number, 63);
  EXPECT_EQ(received->ring->first, std::int64_t{1} << 40);
  EXPECT_EQ(received->ring->data, &data);
}

TEST(Rts, CarriesAnOffer) {
  EXPECT_FALSE(Rts::decode(Rts{1000, 0, 0, 0}.encode(identity).data(), identity)->offer);
  const Rts sent{1000, 0, 0, 0, an_offer()};
  const auto received = Rts::decode(sent.encode(identity).data(), identity);
  ASSERT_TRUE(received && received->offer);
  const RemoteKey& offer = *received->offer;
  EXPECT_EQ(std::memcmp(&offer.memory, &sent.offer->memory, sizeof(offer.memory)), 0);
  EXPECT_EQ(offer.count, 7);
  EXPECT_EQ(offer.plan, (plan::Identity{{8, 9}}));
  EXPECT_EQ(offer.wire_bytes, 10);
  EXPECT_TRUE(offer.readable);
  EXPECT_TRUE(offer.whole);
  EXPECT_EQ(std::memcmp(&offer.chunks, &sent.offer->chunks, sizeof(offer.chunks)), 0);
  EXPECT_EQ(offer.chunk_bytes, 21);
  EXPECT_EQ(offer.run, 22);
  EXPECT_EQ(offer.inline_wire, sent.offer->inline_wire);
  EXPECT_EQ(offer.wire().size(), RemoteKey::longest_inline_wire);
}

TEST(Rts, OfferOfAWireThatDoesNotFitIsNone) {
  for (const std::int32_t bytes : {-1, static_cast<std::int32_t>(RemoteKey::longest_inline_wire) + 1}) {
    Rts sent{1000, 0, 0, 0, an_offer()};
    sent.offer->inline_bytes = bytes;
    const auto received = Rts::decode(sent.encode(identity).data(), identity);
    ASSERT_TRUE(received);
    EXPECT_FALSE(received->offer);
  }
}

TEST(Rts, IsNotTakenForDataNorForThatOfAnotherTransport) {
  const RtsBytes data{};
  EXPECT_FALSE(Rts::decode(data.data(), identity));
  const RtsBytes other = Rts{1000, 0, 0, 0}.encode({identity[0], 43});
  EXPECT_FALSE(Rts::decode(other.data(), identity));
}

TEST(Rts, OfAnotherVersionIsNone) {
  RtsBytes bytes = Rts{1000, 0, 0, 0}.encode(identity);
  bytes[sizeof(Identity)] ^= std::byte{0x80};
  EXPECT_FALSE(Rts::decode(bytes.data(), identity));
}

}  // namespace
}  // namespace typewarp::transport
