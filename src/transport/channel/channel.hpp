// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/buffer/message_buffer.hpp"
#include "transport/memory/fixed_pool.hpp"

#include <array>
#include <cstddef>

/// How fragments of one message's packed stream get from its sender to its receiver.
namespace typewarp::transport {

/// At either end: one is packed or unpacked while others travel.
inline constexpr std::size_t fragments_under_way = 4;

/// An item for each fragment under way: by its slot, or its number in the message where numbers leave in
/// order.
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

/// At the sender. Calls throw Error for what fails.
class SendChannel {
 public:
  SendChannel() = default;
  SendChannel(const SendChannel&) = delete;
  SendChannel& operator=(const SendChannel&) = delete;
  virtual ~SendChannel() = default;

  /// Whether fragments are sent out of the user's memory, without being packed.
  virtual bool in_place() const noexcept { return false; }
  /// Bytes for which there is room in memory of acquire().
  virtual std::int64_t longest() const = 0;
  /// Memory for a packed fragment; none if all is taken. The caller keeps it until the fragment is released.
  virtual Block acquire() = 0;
  /// As Side::pack().
  virtual void pack(const MessageBuffer& side, ByteRange range, std::byte* to,
                    std::optional<gpu::Event>& done, std::int64_t number) = 0;
  /// Starts to send fragment `number`, in order: `bytes` bytes, which stay until it is released.
  virtual void send(std::int64_t number, const std::byte* data, std::int64_t bytes) = 0;
  /// Whether nobody reads its bytes any more. Throws, once, if it did not leave.
  virtual bool released(std::int64_t number) = 0;
  /// Tells the receiver, in place of the next fragment, that the sender has failed; whether that has left.
  virtual void send_failure() = 0;
  virtual bool failure_left() = 0;
};

/// At the receiver, which has a slot, from 0 to before `fragments_under_way`, for each fragment under way.
class ReceiveChannel {
 public:
  ReceiveChannel() = default;
  ReceiveChannel(const ReceiveChannel&) = delete;
  ReceiveChannel& operator=(const ReceiveChannel&) = delete;
  virtual ~ReceiveChannel() = default;

  /// What its sender is told besides.
  virtual std::int32_t detail() const noexcept { return 0; }
  /// Of each fragment of this message but the last.
  virtual std::int64_t fragment_bytes() const noexcept = 0;
  /// Whether fragments come into the user's memory, without being unpacked.
  virtual bool in_place() const noexcept { return false; }
  /// Whether a fragment comes into memory of acquire().
  virtual bool needs_memory() const noexcept { return false; }
  virtual Block acquire() { return {}; }
  /// Starts to receive the next fragment, of messages with `tag`.
  virtual void receive(std::int64_t slot, std::byte* data, std::int64_t bytes, int tag) = 0;
  enum class Arrival { under_way, whole, nothing };
  /// `nothing`: the sender has failed, or the receive was cancelled; also of one that was not started.
  virtual Arrival arrived(std::int64_t slot) = 0;
  virtual void cancel(std::int64_t slot) = 0;
  /// As Side::unpack(), of fragment `number`, which has arrived. Not called where the message is dropped.
  virtual void unpack(std::int64_t slot, const MessageBuffer& side, ByteRange range, const std::byte* data,
                      std::optional<gpu::Event>& done, std::int64_t number) = 0;
  /// Gives back what the sender has lent for a fragment that has arrived; whether it has that, as it must
  /// before another is received in its place.
  virtual bool release(std::int64_t) { return true; }
};

}  // namespace typewarp::transport
