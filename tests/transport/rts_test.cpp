// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/rts.hpp"

#include "support/random.hpp"

#include <typewarp/error.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>

namespace typewarp::transport {
namespace {

constexpr Identity identity{0x0123456789abcdef, 42};

std::optional<Rts> decoded(const Rts& rts) {
  constexpr int sender = 0;
  return Rts::decode(rts.encode(identity).data(), identity, sender);
}

TEST(Rts, SaysWhatItWasToldTo) {
  Rts sent{.bytes = std::int64_t{1} << 40, .fragment_limit = 65536, .sender = 7, .reply_tag = 12345};
  sent.link_bytes = Rts::any_length;
  const auto received = Rts::decode(sent.encode(identity).data(), identity, 7);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->bytes, sent.bytes);
  EXPECT_EQ(received->fragment_limit, 65536);
  EXPECT_EQ(received->sender, 7);
  EXPECT_EQ(received->reply_tag, 12345);
  EXPECT_EQ(received->link_bytes, Rts::any_length);
}

RemoteKey an_offer() {
  RemoteKey offer{gpu::SharedMemory{gpu::SharedMemory::Kind::ipc, {1, 2}, 3, 4, 6, 5, {}, {}},
                  true,
                  7,
                  {{8, 9}},
                  10,
                  true,
                  gpu::SharedMemory{gpu::SharedMemory::Kind::ipc, {15, 16}, 17, 18, 50, 20, {}, {}},
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
  EXPECT_FALSE(decoded(Rts{1000, 0, 0, 0})->ring);
  const Rts sent{.bytes = 1000,
                 .fragment_limit = 0,
                 .sender = 0,
                 .reply_tag = 0,
                 .ring = RingKey{63, std::int64_t{1} << 40, &data}};
  const auto received = decoded(sent);
  ASSERT_TRUE(received && received->ring);
  EXPECT_FALSE(received->offer);
  EXPECT_EQ(received->ring->number, 63);
  EXPECT_EQ(received->ring->first, std::int64_t{1} << 40);
  EXPECT_EQ(received->ring->data, &data);
}

TEST(Rts, CarriesAnOffer) {
  EXPECT_FALSE(decoded(Rts{1000, 0, 0, 0})->offer);
  const Rts sent{1000, 0, 0, 0, an_offer()};
  const auto received = decoded(sent);
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

TEST(Rts, IsNotTakenForDataNorForThatOfAnotherTransport) {
  const RtsBytes data{};
  EXPECT_FALSE(Rts::decode(data.data(), identity, 0));
  const RtsBytes other = Rts{1000, 0, 0, 0}.encode({identity[0], 43});
  EXPECT_FALSE(Rts::decode(other.data(), identity, 0));
}

/// That the announcement, made wrong by `spoil`, is refused.
template <class Spoil>
void expect_refused(Rts rts, const char* rule, Spoil spoil) {
  spoil(rts);
  try {
    decoded(rts);
    ADD_FAILURE() << "is taken, and should be refused: " << rule;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(rule), std::string::npos) << error.what();
  }
}

TEST(Rts, ThatCannotBeIsRefused) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const Rts plain{1000, 0, 0, 0};
  expect_refused(plain, "another sender", [](Rts& rts) { rts.sender = 1; });
  expect_refused(plain, "another sender", [](Rts& rts) { rts.sender = -1; });
  expect_refused(plain, "a length", [](Rts& rts) { rts.bytes = -1; });
  expect_refused(plain, "a length", [](Rts& rts) { rts.fragment_limit = -1; });
  expect_refused(plain, "a length", [](Rts& rts) { rts.link_bytes = Rts::any_length - 1; });
  expect_refused(plain, "a tag", [](Rts& rts) { rts.reply_tag = -1; });
  const Rts ring{.bytes = 1000, .fragment_limit = 0, .sender = 0, .reply_tag = -1, .ring = RingKey{3, 1}};
  EXPECT_TRUE(decoded(ring)->ring);
  expect_refused(ring, "a ring", [](Rts& rts) { rts.ring->number = -1; });
  expect_refused(ring, "a ring", [](Rts& rts) { rts.ring->first = 0; });
  expect_refused(ring, "a ring", [](Rts& rts) { rts.ring->first = most - 1000; });
}

TEST(Rts, OfferThatCannotBeIsNone) {
  const auto is_offered = [](auto spoil) {
    Rts rts{1000, 0, 0, 0, an_offer()};
    spoil(*rts.offer);
    return decoded(rts).value().offer.has_value();
  };
  EXPECT_TRUE(is_offered([](RemoteKey&) {}));
  for (const std::int32_t bytes : {-1, static_cast<std::int32_t>(RemoteKey::longest_inline_wire) + 1})
    EXPECT_FALSE(is_offered([=](RemoteKey& key) { key.inline_bytes = bytes; }));
  EXPECT_FALSE(is_offered([](RemoteKey& key) { key.chunk_bytes = -1; }));
  EXPECT_FALSE(is_offered([](RemoteKey& key) { key.chunk_bytes = 31; })) << "beyond the pool";
  EXPECT_FALSE(is_offered([](RemoteKey& key) { key.chunks.offset = -1; }));
  EXPECT_FALSE(is_offered([](RemoteKey& key) { key.run = -1; }));
}

TEST(Rts, OfAnotherVersionIsRefused) {
  RtsBytes bytes = Rts{1000, 0, 0, 0}.encode(identity);
  bytes[sizeof(Identity)] ^= std::byte{0x80};
  EXPECT_THROW(Rts::decode(bytes.data(), identity, 0), Error);
}

// Whatever a peer sends is refused, or says what can be.
TEST(Rts, OfAnyBytesHoldsTogetherOrIsRefused) {
  test::Random random(1);
  int taken = 0;
  for (int i = 0; i < 20000; ++i) {
    const Rts sent =
        random.one_in(2)
            ? Rts{1000, 0, 0, 0, an_offer()}
            : Rts{.bytes = 1000, .fragment_limit = 0, .sender = 0, .reply_tag = 5, .ring = RingKey{3, 1}};
    RtsBytes bytes = sent.encode(identity);
    const bool whole = random.one_in(3);
    const auto from = static_cast<std::int64_t>(sizeof(Identity)) + (whole ? 0 : 2);
    for (std::int64_t k = whole ? 500 : random.range(1, 4); k > 0; --k)
      bytes[static_cast<std::size_t>(random.range(from, rts_bytes - 1))] =
          static_cast<std::byte>(random.range(0, 255));
    try {
      const auto rts = Rts::decode(bytes.data(), identity, 0);
      ASSERT_TRUE(rts);
      ++taken;
      EXPECT_EQ(rts->sender, 0);
      EXPECT_GE(rts->bytes, 0);
      if (rts->ring) {
        EXPECT_GT(rts->ring->first, 0);
      }
      if (rts->offer) {
        EXPECT_LE(rts->offer->wire().size(), RemoteKey::longest_inline_wire);
      }
    } catch (const Error&) {
      continue;
    }
  }
  EXPECT_GT(taken, 0) << "all were refused: this shows nothing";
}

}  // namespace
}  // namespace typewarp::transport
