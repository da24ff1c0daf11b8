// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

/// The two control messages of a rendezvous. Both ends have the same byte order, as MPI_PACKED sent raw
/// demands anyway.
namespace typewarp::transport {

/// What tells the messages of one Transport from all others: a random number that its ranks share.
using Identity = std::array<std::uint64_t, 2>;

/// The length of a descriptor on the wire. Its length is what makes a message a candidate; therefore a length
/// that data hardly ever has, since data of just this length cannot travel as it is.
inline constexpr std::int64_t descriptor_bytes = 509;
using DescriptorBytes = std::array<std::byte, descriptor_bytes>;

/// Request to send: takes the place of a message in MPI's matching. It never announces fewer than
/// `descriptor_bytes` bytes, so where it lands in the receiver's own buffer the message covers it.
struct Descriptor {
  std::int64_t bytes;        ///< of the packed stream
  std::int64_t piece_limit;  ///< the longest piece that the sender can send; 0: any
  int sender;                ///< in the private communicator
  int reply_tag;             ///< there, of the clearance

  DescriptorBytes encode(const Identity& identity) const;
  /// Nothing if these are not the bytes of a descriptor of `identity`.
  static std::optional<Descriptor> decode(const std::byte* data, const Identity& identity);
};

/// Clear to send: the receiver's answer, on the private communicator.
struct Clearance {
  enum class Verdict : std::int32_t {
    granted,
    refused,  ///< the receiver has no use for the data; nothing is to be sent
  };
  Verdict verdict;
  int data_tag;              ///< of the pieces
  std::int64_t piece_bytes;  ///< of each but the last, more than 0
};

}  // namespace typewarp::transport
