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
#include <utility>

/// The control messages of a rendezvous. Both ends have the same byte order, as MPI_PACKED sent raw demands
/// anyway.
namespace typewarp::transport {

/// What tells the messages of one Session from all others: a random number that its ranks share.
using Identity = std::array<std::uint64_t, 2>;

/// The length of an RTS on the wire. A receiver recognises an RTS by its length first, so data of just this
/// length cannot be sent as it is: hence a length that is rare.
inline constexpr std::int64_t rts_bytes = 509;
using RtsBytes = std::array<std::byte, rts_bytes>;

/// Names a channel in an announcement: less than `most_channels`, and 0 for none.
using ChannelId = std::uint16_t;
inline constexpr std::size_t most_channels = 16;

/// What an announcement offers: the channels that may carry the message, each with bytes that only this
/// channel writes, reads and checks. Stored in the form of the wire.
class Offers {
 public:
  static constexpr std::size_t room = rts_bytes - 40;

  Offers() noexcept : bytes_{} {}
  /// Those of an announcement that came.
  Offers(std::span<const std::byte> bytes) noexcept;

  /// Adds an offer, `offer` followed by `rest`. Returns false, and adds nothing, if there is no room left.
  template <class Offer>
  bool add(ChannelId channel, const Offer& offer, std::span<const std::byte> rest = {}) noexcept {
    static_assert(std::has_unique_object_representations_v<Offer>, "padding would be any bytes");
    const OfferHead head{channel, static_cast<std::uint16_t>(sizeof offer + rest.size())};
    if (sizeof head + sizeof offer + rest.size() > room - used_) return false;
    append(&head, sizeof head);
    places_[channel] = static_cast<std::uint16_t>(used_);
    append(&offer, sizeof offer);
    append(rest.data(), rest.size());
    return true;
  }

  /// The offer of a channel; nothing if there is none or its length is different. The channel must check what
  /// it says.
  template <class Offer>
  std::optional<Offer> find(ChannelId channel) const noexcept {
    std::span<const std::byte> rest;
    const std::optional<Offer> offer = find<Offer>(channel, rest);
    return rest.empty() ? offer : std::nullopt;
  }
  /// The same for an offer with a rest.
  template <class Offer>
  std::optional<Offer> find(ChannelId channel, std::span<const std::byte>& rest) const noexcept {
    const std::span<const std::byte> bytes = bytes_of(channel);
    if (bytes.size() < sizeof(Offer)) return std::nullopt;
    rest = bytes.subspan(sizeof(Offer));
    std::optional<Offer> offer(std::in_place);
    std::memcpy(&*offer, bytes.data(), sizeof(Offer));
    return offer;
  }
  bool has(ChannelId channel) const noexcept { return places_[channel] != 0; }

 private:
  friend struct Rts;
  /// Whether the offers fill these bytes, and each has its place in them.
  static bool hold_together(std::span<const std::byte> bytes) noexcept;
  struct OfferHead {
    ChannelId channel;
    std::uint16_t bytes;
  };

  void append(const void* bytes, std::size_t length) noexcept {
    if (length != 0) std::memcpy(bytes_.data() + used_, bytes, length);
    used_ += length;
  }
  std::span<const std::byte> bytes_of(ChannelId channel) const noexcept {
    const std::size_t place = places_[channel];
    if (place == 0) return {};
    OfferHead head;
    std::memcpy(&head, bytes_.data() + place - sizeof head, sizeof head);
    return std::span(bytes_).subspan(place, head.bytes);
  }

  std::size_t used_ = 0;
  std::array<std::uint16_t, most_channels> places_{};  ///< of each channel's offer; 0: it has none
  std::array<std::byte, room> bytes_;
};

/// Request to send: takes the place of a message in MPI's matching. It never announces fewer than
/// `rts_bytes` bytes, so where it lands in the receiver's own memory the message covers it.
struct Rts {
  /// Instead of a tag: the answer comes through a channel that is offered.
  static constexpr int answered_by_channel = -1;

  std::int64_t bytes;                   ///< of the packed stream
  int sender;                           ///< in the private communicator
  int reply_tag = answered_by_channel;  ///< of the CTS, in the private communicator
  Offers offers{};

  RtsBytes encode(const Identity& identity) const noexcept;
  /// Nothing if these are not the bytes of an RTS of this session. Throws Error for an RTS that is malformed
  /// or not from `sender`, a rank of the private communicator: it cannot be answered.
  static std::optional<Rts> decode(const std::byte* data, const Identity& identity, int sender);
};

/// Clear to send: the receiver's answer.
struct Cts {
  enum class Code : std::int32_t {
    fragments,  ///< send them, by `channel`
    refused,    ///< send nothing
    asks,       ///< `channel` needs something first, and will answer again
    taken,      ///< the receiver has all the data that it wants
    failed,     ///< the GPU failed while the receiver read
  };
  Code code;
  std::int32_t channel;         ///< of the row that receives the message
  std::int32_t detail;          ///< says what this channel means by it
  int data_tag;                 ///< of what is to be sent
  std::int64_t fragment_bytes;  ///< of each fragment but the last, more than 0
};

}  // namespace typewarp::transport
