// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/encoding.hpp"
#include "plan/wire.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

/// What a plan looks like on the wire: a header, and the nodes of its encoding in preorder, each with the
/// lists that cannot be derived from the rest, filled up to multiples of 8 bytes.
namespace typewarp::plan {

/// Another number for every change of what follows. In the other byte order it is another number, too.
inline constexpr std::uint64_t wire_version = 0x5457776972650001;

struct WireHeader {
  std::uint64_t version;
  Identity identity;  ///< of all that follows it
  std::int64_t extent;
  std::int64_t offset;
};

inline constexpr std::size_t identity_at = offsetof(WireHeader, identity);
inline constexpr std::size_t identified_from = offsetof(WireHeader, extent);

struct WireNode {
  Kind kind;
  std::int32_t width;  ///< of the entries of its lists: 4 or 8 bytes
  std::int64_t count;  ///< bytes of a run; else as EncodedNode
  std::int64_t stride;
};

constexpr std::int64_t displacement_bytes(const WireNode& node) {
  const bool listed = node.kind != Kind::run && node.kind != Kind::repeat;
  return listed ? node.count * node.width : 0;
}

/// A sequence's prefix follows from its members.
constexpr std::int64_t prefix_bytes(const WireNode& node) {
  return node.kind == Kind::varying ? (node.count + 1) * node.width : 0;
}

constexpr std::int64_t padded(std::int64_t bytes) { return (bytes + 7) / 8 * 8; }

/// Two lanes, each of which changes with every change of a single word, since all its steps can be undone.
/// What is left over after whole words of 8 bytes counts as a word with zeros.
inline Identity identity_of(std::span<const std::byte> bytes) {
  // Binary digits of the golden ratio and of the square root of 2, made odd, so that the product can be
  // undone.
  constexpr std::uint64_t multipliers[2] = {0x9e3779b97f4a7c15, 0x6a09e667f3bcc909};
  Identity identity{{bytes.size(), ~bytes.size()}};
  const auto mix = [&](std::uint64_t word) {
    for (int lane = 0; lane < 2; ++lane) {
      std::uint64_t& state = identity.words[lane];
      // The sum keeps zeros from staying zero.
      state = (state ^ word) * multipliers[lane] + multipliers[1 - lane];
      state ^= state >> 29;
      state *= multipliers[1 - lane];
      state ^= state >> 32;
    }
  };
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof(word), bytes.size() - at));
    mix(word);
  }
  return identity;
}

}  // namespace typewarp::plan
