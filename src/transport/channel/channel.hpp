// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/buffer/message_buffer.hpp"
#include "transport/memory/fixed_pool.hpp"

#include <array>
#include <cstddef>

/// How fragments of one message's packed stream get from its sender to its receiver.
namespace typewarp::transport {

/// Fragments under way at either end: one is packed or unpacked while others travel.
inline constexpr std::size_t fragments_under_way = 4;

/// An item for each fragment under way, by its slot, or by its number if fragments leave in order.
template <typename Item>
class PerFragment {
 public:
  Item& operator[](std::int64_t slot) noexcept {
    return items_[static_cast<std::size_t>(slot) % fragments_under_way];
  }
  auto begin() noexcept { return items_.begin(); }
  auto end() noexcept { return items_.end(); }

 private:
  std::array<Item, fragments_under_way> items_{};
};

/// The sender's end. Functions throw Error for failures.
class SendChannel {
 public:
  SendChannel& operator=(SendChannel&&) = delete;
  virtual ~SendChannel() = default;

  /// Whether fragments are sent out of the user's memory, without being packed.
  virtual bool in_place() const noexcept { return false; }
  /// The room in memory of acquire(), in bytes.
  virtual std::int64_t longest() const = 0;
  /// Memory for a packed fragment, which the caller keeps until released(); none if all is taken.
  virtual Block acquire() = 0;
  /// As Side::pack().
  virtual void pack(const MessageBuffer& side, ByteRange range, std::byte* to,
                    std::optional<gpu::Event>& done, std::int64_t number) = 0;
  /// Starts to send the next fragment. Its bytes must stay until it is released.
  virtual void send(std::int64_t number, const std::byte* data, std::int64_t bytes) = 0;
  /// Whether its bytes are not read any more. Throws, once, if it could not be sent.
  virtual bool released(std::int64_t number) = 0;
  /// Tells the receiver that no more fragments come, as the sender has failed; and whether that notice has
  /// left.
  virtual void send_failure() = 0;
  virtual bool failure_left() = 0;
};

/// The receiver's end. Each fragment under way has a slot below `fragments_under_way`.
class ReceiveChannel {
 public:
  ReceiveChannel& operator=(ReceiveChannel&&) = delete;
  virtual ~ReceiveChannel() = default;

  /// What the sender is told besides (Cts::detail).
  virtual std::int32_t detail() const noexcept { return 0; }
  /// The length of each fragment but the last.
  virtual std::int64_t fragment_bytes() const noexcept = 0;
  /// Whether fragments are received in the user's memory, without unpacking.
  virtual bool in_place() const noexcept { return false; }
  /// Whether fragments are received in memory of acquire().
  virtual bool needs_memory() const noexcept { return false; }
  virtual Block acquire() { return {}; }
  /// Starts to receive the next fragment, sent with `tag`.
  virtual void receive(std::int64_t slot, std::byte* data, std::int64_t bytes, int tag) = 0;
  enum class Arrival { under_way, whole, nothing };
  /// `nothing`: the sender has failed, or the receive was cancelled or not started.
  virtual Arrival arrived(std::int64_t slot) = 0;
  virtual void cancel(std::int64_t slot) = 0;
  /// Unpacks fragment `number`, which has arrived. Not called if the message is dropped.
  virtual void unpack(std::int64_t slot, const MessageBuffer& side, ByteRange range, const std::byte* data,
                      std::optional<gpu::Event>& done, std::int64_t number) = 0;
  /// Gives a fragment's memory back to the sender that has lent it. Returns whether the slot is free again.
  virtual bool release(std::int64_t) { return true; }
};

}  // namespace typewarp::transport
