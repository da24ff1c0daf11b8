// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

/// The control messages of a rendezvous. Both ends have the same byte order, as MPI_PACKED sent raw demands
/// anyway.
namespace typewarp::transport {

/// What tells the messages of one Session from all others: a random number that its ranks share.
using Identity = std::array<std::uint64_t, 2>;

/// The length of an RTS on the wire. Its length is what makes a message a candidate; therefore a length
/// that data hardly ever has, since data of just this length cannot travel as it is.
inline constexpr std::int64_t rts_bytes = 509;
using RtsBytes = std::array<std::byte, rts_bytes>;

/// Names a channel in an announcement.
using ChannelId = std::uint16_t;

/// What an announcement offers: the channels that may carry the message, each with bytes that this channel
/// alone writes, reads and checks. Kept as it travels.
class Offers {
 public:
  static constexpr std::size_t room = rts_bytes - 40;

  /// `rest` follows `offer`, which has no padding. False, and nothing is offered, where there is no room
  /// left.
  template <class Offer>
  bool add(ChannelId channel, const Offer& offer, std::span<const std::byte> rest = {}) noexcept {
    static_assert(std::has_unique_object_representations_v<Offer>, "padding would be any bytes");
    const OfferHead head{channel, static_cast<std::uint16_t>(sizeof offer + rest.size())};
    if (sizeof head + sizeof offer + rest.size() > room - used_) return false;
    append(&head, sizeof head);
    append(&offer, sizeof offer);
    append(rest.data(), rest.size());
    return true;
  }

  /// The first offer of this channel; nothing if there is none, or one of another length. What it holds may
  /// be any bytes.
  template <class Offer>
  std::optional<Offer> find(ChannelId channel) const noexcept {
    const std::span<const std::byte> bytes = bytes_of(channel);
    return bytes.size() == sizeof(Offer) ? read<Offer>(bytes) : std::nullopt;
  }
  /// The same of one with a rest.
  template <class Offer>
  std::optional<Offer> find(ChannelId channel, std::span<const std::byte>& rest) const noexcept {
    const std::span<const std::byte> bytes = bytes_of(channel);
    if (bytes.size() < sizeof(Offer)) return std::nullopt;
    rest = bytes.subspan(sizeof(Offer));
    return read<Offer>(bytes);
  }
  bool has(ChannelId channel) const noexcept { return !bytes_of(channel).empty(); }

 private:
  friend struct Rts;
  struct OfferHead {
    ChannelId channel;
    std::uint16_t bytes;
  };

  template <class Offer>
  static std::optional<Offer> read(std::span<const std::byte> bytes) noexcept {
    Offer offer;
    std::memcpy(&offer, bytes.data(), sizeof offer);
    return offer;
  }
  void append(const void* bytes, std::size_t length) noexcept {
    if (length != 0) std::memcpy(bytes_.data() + used_, bytes, length);
    used_ += length;
  }
  std::span<const std::byte> bytes_of(ChannelId channel) const noexcept;
  /// Whether the entries fill what is used.
  bool hold_together() const noexcept;

  std::size_t used_ = 0;
  std::array<std::byte, room> bytes_;
};

/// Request to send: takes the place of a message in MPI's matching. It never announces fewer than
/// `rts_bytes` bytes, so where it lands in the receiver's own memory the message covers it.
struct Rts {
  /// In place of a tag: a channel that is offered brings the answer.
  static constexpr int answered_by_channel = -1;

  std::int64_t bytes;                   ///< of the packed stream
  int sender;                           ///< in the private communicator
  int reply_tag = answered_by_channel;  ///< of the CTS, in the private communicator
  Offers offers{};

  RtsBytes encode(const Identity& identity) const noexcept;
  /// Nothing if these are not the bytes of an RTS of `identity`. What it says holds together and is of
  /// `sender`, a rank of the private communicator; throws Error where it does not: whoever sent that cannot
  /// be answered.
  static std::optional<Rts> decode(const std::byte* data, const Identity& identity, int sender);
};

/// Clear to send: the receiver's answer.
struct Cts {
  enum class Code : std::int32_t {
    fragments,  ///< send them, by `channel`
    refused,    ///< the receiver has no use for the data; nothing is to be sent
    asks,       ///< `channel` has to know something first, and will answer again
    taken,      ///< the receiver has read all that it wants
    failed,     ///< the GPU failed while the receiver read
  };
  Code code;
  std::int32_t channel;         ///< of the row that receives the message
  std::int32_t detail;          ///< says what this channel means by it
  int data_tag;                 ///< of what is to be sent
  std::int64_t fragment_bytes;  ///< of each fragment but the last, more than 0
};

}  // namespace typewarp::transport
