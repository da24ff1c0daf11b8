// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/channel.hpp"
#include "transport/channel/cts.hpp"

#include <memory>
#include <utility>

namespace typewarp::transport {

/// The fragments of a message that was announced, brought to the user's memory: clears the sender to send
/// them, or refuses the message. Before it clears it has memory for one fragment, if it needs any, and keeps
/// that until all are there.
class FragmentReceiver {
 public:
  /// `side` must outlive this. Without a channel the message is refused.
  FragmentReceiver(std::unique_ptr<ReceiveChannel> channel, const MessageBuffer& side, std::int64_t bytes,
                   CtsReply reply)
      : channel_(std::move(channel)),
        side_(side),
        bytes_(bytes),
        reply_(std::move(reply)),
        refused_(channel_ == nullptr) {
    for (std::int64_t slot = 0; Fragment & fragment : fragments_) fragment.slot = slot++;
  }

  /// Moves on for a while, without waiting; true when all fragments are in place, or a refusal has left.
  /// Throws GpuError, MpiError, and Error if the sender failed.
  bool advance();
  /// Receives what is on its way without unpacking it.
  void discard();
  std::int64_t steps() const noexcept { return posted_ + finished_; }
  /// Whether all that keeps it from answering is that other messages have all memory for fragments.
  bool waits_for_memory() const noexcept { return !reply_.given() && !refused_; }

 private:
  struct Fragment {
    enum class State { idle, receiving, unpacking, releasing };
    State state = State::idle;
    Block chunk;
    std::int64_t slot = 0;
    std::int64_t number = 0;  ///< in the message
    ByteRange range;
    std::optional<gpu::Event> unpacked;
  };

  bool grant();
  void post(Fragment& fragment);
  void post_more();
  bool advance(Fragment& fragment);
  bool arrive(Fragment& fragment);
  bool unpacked(Fragment& fragment) const;
  bool finish(Fragment& fragment);
  void cancel_posted();
  bool nothing_posted();
  bool withdrawn();

  std::unique_ptr<ReceiveChannel> channel_;
  const MessageBuffer& side_;
  std::int64_t bytes_;
  CtsReply reply_;
  PerFragment<Fragment> fragments_;
  std::int64_t offset_ = 0;  // of the next fragment to post
  std::int64_t posted_ = 0;
  std::int64_t finished_ = 0;
  bool refused_;
  bool discarding_ = false;
  bool sender_failed_ = false;
};

}  // namespace typewarp::transport
