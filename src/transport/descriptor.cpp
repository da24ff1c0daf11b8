// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/descriptor.hpp"

#include <cstring>
#include <type_traits>

namespace typewarp::transport {
namespace {

constexpr std::uint32_t version = 1;

struct Wire {
  Identity identity;
  std::uint32_t version;
  std::int32_t sender;
  std::int32_t reply_tag;
  std::int32_t unused;  // instead of padding, whose bytes would be any
  std::int64_t bytes;
  std::int64_t piece_limit;
};
static_assert(std::has_unique_object_representations_v<Wire>);
static_assert(sizeof(Wire) <= descriptor_bytes);

}  // namespace

DescriptorBytes Descriptor::encode(const Identity& identity) const {
  const Wire wire{identity, version, sender, reply_tag, 0, bytes, piece_limit};
  DescriptorBytes encoded{};
  std::memcpy(encoded.data(), &wire, sizeof(wire));
  return encoded;
}

std::optional<Descriptor> Descriptor::decode(const std::byte* data, const Identity& identity) {
  Wire wire;
  std::memcpy(&wire, data, sizeof(wire));
  if (wire.identity != identity || wire.version != version) return std::nullopt;
  return Descriptor{wire.bytes, wire.piece_limit, wire.sender, wire.reply_tag};
}

}  // namespace typewarp::transport
