// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/rts.hpp"

#include <typewarp/error.hpp>

#include <string>

namespace typewarp::transport {
namespace {

constexpr std::uint16_t version = 7;

struct Header {
  Identity identity;
  std::uint16_t version;
  std::uint16_t offer_bytes;
  std::int32_t sender;
  std::int64_t bytes;
  std::int32_t reply_tag;
  std::int32_t unused;
};
static_assert(std::has_unique_object_representations_v<Header>, "padding would be any bytes");
static_assert(sizeof(Header) + Offers::room == rts_bytes);

void expect(int sender, bool fine, const char* rule) {
  if (fine) return;
  throw Error("typewarp: an announcement of rank " + std::to_string(sender) + " of the Session " + rule);
}

}  // namespace

// The first offer of a channel counts, and one of a channel that there is not is passed over. What is left of
// the room stays as it is: to fill it takes longer than all the rest.
Offers::Offers(std::span<const std::byte> bytes) noexcept : used_(bytes.size()) {
  for (std::size_t at = 0; at != used_;) {
    OfferHead head;
    std::memcpy(&head, bytes.data() + at, sizeof head);
    at += sizeof head;
    if (head.channel < most_channels && places_[head.channel] == 0) {
      places_[head.channel] = static_cast<std::uint16_t>(at);
    }
    at += head.bytes;
  }
  std::memcpy(bytes_.data(), bytes.data(), used_);
}

bool Offers::hold_together(std::span<const std::byte> bytes) noexcept {
  std::size_t at = 0;
  while (at + sizeof(OfferHead) <= bytes.size()) {
    OfferHead head;
    std::memcpy(&head, bytes.data() + at, sizeof head);
    at += sizeof head + head.bytes;
  }
  return at == bytes.size();
}

RtsBytes Rts::encode(const Identity& identity) const noexcept {
  const Header header{identity,  version, static_cast<std::uint16_t>(offers.used_), sender, bytes,
                      reply_tag, 0};
  RtsBytes encoded{};
  std::memcpy(encoded.data(), &header, sizeof header);
  std::memcpy(encoded.data() + sizeof header, offers.bytes_.data(), offers.used_);
  return encoded;
}

std::optional<Rts> Rts::decode(const std::byte* data, const Identity& identity, int sender) {
  Header header;
  std::memcpy(&header, data, sizeof header);
  if (header.identity != identity) return std::nullopt;
  expect(sender, header.version == version, "is of another version of this library");
  expect(sender, header.sender == sender, "names another sender");
  expect(sender, header.bytes >= 0, "has a length that cannot be");
  expect(sender, header.reply_tag >= answered_by_channel, "has a tag that cannot be");
  const std::span<const std::byte> offers(data + sizeof header, header.offer_bytes);
  expect(sender, offers.size() <= Offers::room && Offers::hold_together(offers), "has offers that cannot be");
  return std::optional<Rts>(std::in_place, header.bytes, header.sender, header.reply_tag, offers);
}

}  // namespace typewarp::transport
