// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/channel.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace typewarp::transport {

/// How often advance() goes through the fragments of a message before other messages have their turn. Without
/// an end, two threads at both ends of a message to oneself keep each other busy until all of it is there.
inline constexpr int passes_at_a_time = 16;

/// The fragments of a packed stream on their way out, in order.
class FragmentSender {
 public:
  /// `side` must outlive this. Each fragment but the last is of `fragment_bytes` > 0 bytes.
  FragmentSender(std::unique_ptr<SendChannel> channel, const MessageBuffer& side, std::int64_t fragment_bytes)
      : channel_(std::move(channel)),
        side_(side),
        fragment_bytes_(std::min(fragment_bytes, std::max<std::int64_t>(side.bytes, 1))) {}

  /// Moves on for a while, without waiting; true when all has left. Throws GpuError, MpiError.
  bool advance();
  /// Ends with what has been sent, and tells the receiver. From here on the user's memory is not read, but
  /// for fragments that are sent in place.
  void fail();
  /// Changes whenever something got done.
  std::int64_t steps() const noexcept { return prepared_ + sent_ + left_; }
  /// Whether nothing is under way since other messages have all memory for fragments.
  bool waits_for_memory() const noexcept { return !failed_ && left_ == prepared_ && offset_ < side_.bytes; }

 private:
  struct Fragment {
    Block chunk;
    std::optional<gpu::Event> packed;
    const std::byte* data = nullptr;
    std::int64_t bytes = 0;
  };

  bool prepare();
  bool dispatch();
  bool retire();
  bool close();

  std::unique_ptr<SendChannel> channel_;
  const MessageBuffer& side_;
  std::int64_t fragment_bytes_;
  PerFragment<Fragment> fragments_;
  std::int64_t offset_ = 0;    // of the next fragment to prepare
  std::int64_t prepared_ = 0;  // fragments so far that were packed or on their way to it,
  std::int64_t sent_ = 0;      // of these handed to the channel,
  std::int64_t left_ = 0;      // and of these done with
  bool failed_ = false;
  bool lost_ = false;  // whether a fragment that was handed over did not leave
};

}  // namespace typewarp::transport
