// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/rts.hpp"

#include <typewarp/error.hpp>

#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

namespace typewarp::transport {
namespace {

constexpr std::uint16_t version = 6;

// What is offered besides fragments.
constexpr std::uint16_t memory = 1;
constexpr std::uint16_t in_ring = 2;

// Properties of an offer.
constexpr std::int32_t readable = 1;
constexpr std::int32_t whole = 2;

struct Wire {
  Identity identity;
  std::uint16_t version;
  std::uint16_t offers;  ///< 0: nothing
  std::int32_t sender;
  std::int32_t reply_tag;
  std::int32_t link_bytes;
  std::int64_t bytes;
  std::int64_t fragment_limit;
  gpu::SharedMemory memory;
  std::int64_t count;
  plan::Identity plan;
  std::int64_t wire_bytes;
  gpu::SharedMemory chunks;
  std::int32_t chunk_bytes;
  std::int32_t run;
  std::int32_t properties;
  std::int32_t inline_bytes;
  std::array<std::byte, RemoteKey::longest_inline_wire> inline_wire;
};

/// What is said of a ring, in the place of what is said of memory.
struct RingWire {
  std::int64_t number;
  std::int64_t first;
  std::uint64_t data;
};
static_assert(std::has_unique_object_representations_v<Wire>, "padding would be any bytes");
static_assert(sizeof(Wire) <= rts_bytes && sizeof(RingWire) <= sizeof(Wire::memory));

void expect(int sender, bool fine, const char* rule) {
  if (fine) return;
  throw Error("typewarp: an announcement of rank " + std::to_string(sender) + " of the Session " + rule);
}

/// Whether `bytes` bytes are there from the address that was exported.
bool has(const gpu::SharedMemory& shared, std::int64_t bytes) {
  return shared.offset >= 0 && shared.offset <= shared.size && bytes <= shared.size - shared.offset;
}

RingKey ring_of(const Wire& wire) {
  RingWire said;
  std::memcpy(&said, &wire.memory, sizeof(said));
  // Positions in it go up to the end of the message.
  const bool fine = said.number >= 0 && said.number <= std::numeric_limits<int>::max() && said.first > 0 &&
                    wire.bytes < std::numeric_limits<std::int64_t>::max() - said.first;
  expect(wire.sender, fine, "has a ring that cannot be");
  return {static_cast<int>(said.number), said.first,
          reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(said.data))};
}

/// Nothing of an offer that cannot be: then the message comes in fragments. Whether a message is where a key
/// to all of it says shows when that is read.
std::optional<RemoteKey> offer_of(const Wire& wire) {
  const bool fits =
      wire.inline_bytes >= 0 && wire.inline_bytes <= std::int32_t{RemoteKey::longest_inline_wire};
  if (!fits || wire.run < 0 || wire.chunk_bytes < 0 || !has(wire.chunks, wire.chunk_bytes))
    return std::nullopt;
  return RemoteKey{wire.memory,     (wire.properties & whole) != 0,
                   wire.count,      wire.plan,
                   wire.wire_bytes, (wire.properties & readable) != 0,
                   wire.chunks,     wire.chunk_bytes,
                   wire.run,        wire.inline_bytes,
                   wire.inline_wire};
}

}  // namespace

RtsBytes Rts::encode(const Identity& identity) const {
  Wire wire{};
  wire.identity = identity;
  wire.version = version;
  wire.sender = sender;
  wire.reply_tag = reply_tag;
  wire.bytes = bytes;
  wire.fragment_limit = fragment_limit;
  wire.link_bytes = link_bytes;
  if (offer) {
    wire.offers = transport::memory;
    wire.memory = offer->memory;
    wire.count = offer->count;
    wire.plan = offer->plan;
    wire.wire_bytes = offer->wire_bytes;
    wire.chunks = offer->chunks;
    wire.chunk_bytes = offer->chunk_bytes;
    wire.run = offer->run;
    wire.properties = (offer->readable ? readable : 0) | (offer->whole ? whole : 0);
    wire.inline_bytes = offer->inline_bytes;
    wire.inline_wire = offer->inline_wire;
  } else if (ring) {
    wire.offers = in_ring;
    const RingWire said{ring->number, ring->first, reinterpret_cast<std::uintptr_t>(ring->data)};
    std::memcpy(&wire.memory, &said, sizeof(said));
  }
  RtsBytes encoded{};
  std::memcpy(encoded.data(), &wire, sizeof(wire));
  return encoded;
}

std::optional<Rts> Rts::decode(const std::byte* data, const Identity& identity, int sender) {
  Wire wire;
  std::memcpy(&wire, data, sizeof(wire));
  if (wire.identity != identity) return std::nullopt;
  expect(sender, wire.version == version, "is of another version of this library");
  expect(sender, wire.sender == sender, "names another sender");
  expect(sender, wire.bytes >= 0 && wire.fragment_limit >= 0 && wire.link_bytes >= any_length,
         "has a length that cannot be");
  Rts rts{wire.bytes, wire.fragment_limit, wire.sender, wire.reply_tag};
  rts.link_bytes = wire.link_bytes;
  if (wire.offers == in_ring) {
    rts.ring = ring_of(wire);
  } else {
    expect(sender, wire.reply_tag >= 0, "has a tag that cannot be");
    expect(sender, wire.offers == 0 || wire.offers == transport::memory, "offers what is not known");
    if (wire.offers == transport::memory) rts.offer = offer_of(wire);
  }
  return rts;
}

}  // namespace typewarp::transport
