// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/rts.hpp"

#include <cstring>
#include <type_traits>

namespace typewarp::transport {
namespace {

constexpr std::uint16_t version = 6;

// What is offered besides pieces.
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
  std::int64_t piece_limit;
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

}  // namespace

RtsBytes Rts::encode(const Identity& identity) const {
  Wire wire{};
  wire.identity = identity;
  wire.version = version;
  wire.sender = sender;
  wire.reply_tag = reply_tag;
  wire.bytes = bytes;
  wire.piece_limit = piece_limit;
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

std::optional<Rts> Rts::decode(const std::byte* data, const Identity& identity) {
  Wire wire;
  std::memcpy(&wire, data, sizeof(wire));
  if (wire.identity != identity || wire.version != version) return std::nullopt;
  Rts rts{wire.bytes, wire.piece_limit, wire.sender, wire.reply_tag};
  rts.link_bytes = wire.link_bytes;
  const bool fits =
      wire.inline_bytes >= 0 && wire.inline_bytes <= std::int32_t{RemoteKey::longest_inline_wire};
  if (wire.offers == in_ring) {
    RingWire said;
    std::memcpy(&said, &wire.memory, sizeof(said));
    rts.ring = RingKey{static_cast<int>(said.number), said.first,
                       reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(said.data))};
  }
  if (wire.offers == transport::memory && fits) {
    rts.offer = RemoteKey{wire.memory,     (wire.properties & whole) != 0,
                          wire.count,      wire.plan,
                          wire.wire_bytes, (wire.properties & readable) != 0,
                          wire.chunks,     wire.chunk_bytes,
                          wire.run,        wire.inline_bytes,
                          wire.inline_wire};
  }
  return rts;
}

}  // namespace typewarp::transport
