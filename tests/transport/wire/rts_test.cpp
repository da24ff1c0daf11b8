// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/rts.hpp"

#include "support/random.hpp"
#include "transport/protocol/get/rendezvous_get.hpp"
#include "transport/protocol/get/shared_chunks.hpp"

#include <typewarp/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace typewarp::transport {
namespace {

constexpr Identity identity{0x0123456789abcdef, 42};

struct Pair {
  std::int32_t one, other;
  bool operator==(const Pair&) const = default;
};

Rts an_rts(std::int64_t bytes = 1000) { return {.bytes = bytes, .sender = 0, .reply_tag = 0}; }

std::optional<Rts> decoded(const Rts& rts, int sender = 0) {
  return Rts::decode(rts.encode(identity).data(), identity, sender);
}

TEST(Rts, SaysWhatItWasToldTo) {
  const Rts sent{.bytes = std::int64_t{1} << 40, .sender = 7, .reply_tag = 12345};
  const auto received = decoded(sent, 7);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->bytes, sent.bytes);
  EXPECT_EQ(received->sender, 7);
  EXPECT_EQ(received->reply_tag, 12345);
  EXPECT_FALSE(received->offers.has(1));
}

TEST(Rts, CarriesWhatEachChannelOffers) {
  Rts sent = an_rts();
  const std::vector<std::byte> more(10, std::byte{3});
  EXPECT_TRUE(sent.offers.add(7, Pair{1, 2}));
  EXPECT_TRUE(sent.offers.add(9, std::int64_t{5}, more));
  const auto received = decoded(sent);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->offers.find<Pair>(7), (Pair{1, 2}));
  std::span<const std::byte> rest;
  EXPECT_EQ(received->offers.find<std::int64_t>(9, rest), 5);
  EXPECT_TRUE(std::ranges::equal(rest, more));
  EXPECT_FALSE(received->offers.has(8));
  EXPECT_FALSE(received->offers.find<std::int64_t>(9)) << "of another length";
  EXPECT_FALSE(received->offers.find<Pair>(8));
}

TEST(Rts, HasRoomForAllThatOneMessageOffers) {
  Rts sent = an_rts();
  const std::vector<std::byte> wire(DirectOffer::longest_inline_wire);
  EXPECT_TRUE(sent.offers.add(host_row.id, std::int32_t{1}));
  EXPECT_TRUE(sent.offers.add(get_row.id, DirectOffer{}, wire));
  EXPECT_TRUE(sent.offers.add(ipc_row.id, PoolOffer{}));
}

TEST(Rts, OffersNothingThatItHasNoRoomFor) {
  Rts sent = an_rts();
  const std::vector<std::byte> most(Offers::room - 4 - sizeof(std::int64_t));
  EXPECT_FALSE(sent.offers.add(1, std::int64_t{1}, std::vector<std::byte>(most.size() + 1)));
  EXPECT_FALSE(sent.offers.has(1));
  EXPECT_TRUE(sent.offers.add(2, std::int64_t{2}, most));
  EXPECT_FALSE(sent.offers.add(3, std::int32_t{3}));
  const auto received = decoded(sent);
  std::span<const std::byte> rest;
  EXPECT_EQ(received->offers.find<std::int64_t>(2, rest), 2);
  EXPECT_EQ(rest.size(), most.size());
  EXPECT_FALSE(received->offers.has(3));
}

TEST(Rts, IsNotTakenForDataNorForThatOfAnotherTransport) {
  const RtsBytes data{};
  EXPECT_FALSE(Rts::decode(data.data(), identity, 0));
  const RtsBytes other = an_rts().encode({identity[0], 43});
  EXPECT_FALSE(Rts::decode(other.data(), identity, 0));
}

void expect_refused(const RtsBytes& bytes, const char* rule) {
  try {
    Rts::decode(bytes.data(), identity, 0);
    ADD_FAILURE() << "is taken, and should be refused: " << rule;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(rule), std::string::npos) << error.what();
  }
}

TEST(Rts, ThatCannotBeIsRefused) {
  Rts rts = an_rts();
  rts.sender = 1;
  expect_refused(rts.encode(identity), "another sender");
  expect_refused(an_rts(-1).encode(identity), "a length");
  rts = an_rts();
  rts.reply_tag = Rts::answered_by_channel;
  EXPECT_TRUE(decoded(rts));
  rts.reply_tag = Rts::answered_by_channel - 1;
  expect_refused(rts.encode(identity), "a tag");
}

TEST(Rts, OfAnotherVersionIsRefused) {
  RtsBytes bytes = an_rts().encode(identity);
  bytes[sizeof(Identity)] ^= std::byte{0x80};
  expect_refused(bytes, "another version");
}

TEST(Rts, OffersThatDoNotFillTheirPlaceAreRefused) {
  Rts rts = an_rts();
  rts.offers.add(7, Pair{1, 2});
  const RtsBytes right = rts.encode(identity);
  constexpr std::size_t used = sizeof(Identity) + 2, entry = rts_bytes - Offers::room + 2;
  const auto spoilt = [&](std::size_t place, int number) {
    const auto value = static_cast<std::uint16_t>(number);
    RtsBytes bytes = right;
    std::memcpy(bytes.data() + place, &value, sizeof value);
    return bytes;
  };
  EXPECT_TRUE(Rts::decode(spoilt(used, 12).data(), identity, 0)) << "as it is";
  for (const int value : {1, 3, 11, 13, 470, 65535}) expect_refused(spoilt(used, value), "offers");
  for (const int value : {7, 9, 65535}) expect_refused(spoilt(entry, value), "offers");
}

// Whatever a peer sends is refused, or says what can be.
TEST(Rts, OfAnyBytesHoldsTogetherOrIsRefused) {
  test::Random random(1);
  int taken = 0;
  for (int i = 0; i < 20000; ++i) {
    Rts sent = an_rts();
    sent.offers.add(1, std::int32_t{5});
    if (random.one_in(2)) sent.offers.add(2, Pair{1, 2});
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
      for (ChannelId channel = 0; channel < most_channels; ++channel) {
        std::span<const std::byte> rest;
        if (rts->offers.find<std::int32_t>(channel, rest)) {
          EXPECT_LE(rest.size(), Offers::room);
        }
      }
    } catch (const Error&) {
      continue;
    }
  }
  EXPECT_GT(taken, 0) << "all were refused: this shows nothing";
}

}  // namespace
}  // namespace typewarp::transport
