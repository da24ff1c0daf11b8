// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/gpu.hpp"
#include "plan/wire.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

/// The control messages of a rendezvous. Both ends have the same byte order, as MPI_PACKED sent raw demands
/// anyway.
namespace typewarp::transport {

/// What tells the messages of one Session from all others: a random number that its ranks share.
using Identity = std::array<std::uint64_t, 2>;

/// The length of an RTS on the wire. Its length is what makes a message a candidate; therefore a length
/// that data hardly ever has, since data of just this length cannot travel as it is.
inline constexpr std::int64_t rts_bytes = 509;
using RtsBytes = std::array<std::byte, rts_bytes>;

/// Where a message lies, for a receiver that can read it there.
struct RemoteKey {
  /// What an RTS has room for besides all else. A strided type takes 40 bytes and 24 a level.
  static constexpr std::size_t longest_inline_wire = 136;

  gpu::SharedMemory memory;  ///< from the lowest byte of the message on, if it is `whole`
  bool whole;                ///< whether the message can be read where it lies
  std::int64_t count;        ///< of items
  plan::Identity plan;
  std::int64_t wire_bytes;       ///< of the plan
  bool readable;                 ///< at once; else when the sender says so
  gpu::SharedMemory chunks{};    ///< of the sender, for packed fragments
  std::int32_t chunk_bytes = 0;  ///< the longest of these; 0: there are none
  std::int32_t run = 0;          ///< bytes of the message that cross a link together on average
  std::int32_t inline_bytes = 0;
  std::array<std::byte, longest_inline_wire> inline_wire{};

  /// The plan's wire, or nothing where it is too long and has to be asked for.
  std::span<const std::byte> wire() const noexcept {
    return std::span(inline_wire).first(static_cast<std::size_t>(inline_bytes));
  }
};

/// A ring of the sender's, through which a message of host memory may come (shm_ring.hpp).
struct RingKey {
  int number;
  std::int64_t first;               ///< where the message begins in it
  const std::byte* data = nullptr;  ///< of the message in the sender's memory, if consecutive
};

/// Request to send: takes the place of a message in MPI's matching. It never announces fewer than
/// `rts_bytes` bytes, so where it lands in the receiver's own memory the message covers it.
struct Rts {
  std::int64_t bytes;           ///< of the packed stream
  std::int64_t fragment_limit;  ///< the longest fragment that the sender can send; 0: any
  int sender;                   ///< in the private communicator
  int reply_tag;                ///< there, of the CTS
  std::optional<RemoteKey> offer = std::nullopt;
  /// The longest fragment that the sender can give to the link; any_length, or 0 where it can give none.
  std::int32_t link_bytes = 0;
  static constexpr std::int32_t any_length = -1;
  /// Through which the message is answered in any case. Only without an offer.
  std::optional<RingKey> ring = std::nullopt;

  RtsBytes encode(const Identity& identity) const;
  /// Nothing if these are not the bytes of an RTS of `identity`. What it says holds together and is of
  /// `sender`, a rank of the private communicator; throws Error where it does not: whoever sent that cannot
  /// be answered.
  static std::optional<Rts> decode(const std::byte* data, const Identity& identity, int sender);
};

/// Clear to send: the receiver's answer, on the private communicator.
struct Cts {
  enum class Code : std::int32_t {
    granted,     ///< send fragments
    shared,      ///< the same, in chunks that the receiver has mapped: a message tells the place of each
    shared_far,  ///< the same, to another device than the one that has the chunks
    linked,      ///< the same as granted, by the link
    refused,     ///< the receiver has no use for the data; nothing is to be sent
    send_wire,   ///< the receiver has to know the plan first, and will answer again
    say_ready,   ///< the receiver will read by itself once it may, and then answer again
    taken,       ///< the receiver has read all that it wants
    failed,      ///< the GPU failed while the receiver read
  };
  Code verdict;
  int data_tag;                 ///< of what is to be sent
  std::int64_t fragment_bytes;  ///< if granted, shared or linked: of each but the last, more than 0
};

/// Tells of a fragment in a chunk that the receiver has mapped, or that it has been read. A fragment of no
/// bytes tells that the sender has failed, as without chunks.
struct FragmentNote {
  std::int64_t number;  ///< of the fragment in its message
  std::int64_t place;   ///< in the chunks
};

}  // namespace typewarp::transport
