// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/channel.hpp"
#include "transport/protocol/fragments/cts.hpp"

#include <memory>

namespace typewarp::transport {

/// The fragments of a message that was announced, brought to the user's memory: clears the sender to send
/// them, or refuses the message. Before it clears it has memory for one fragment, if it needs any, and keeps
/// that until all are there.
class FragmentReceiver final : public ReceiveProtocol {
 public:
  /// Without a channel the message is refused.
  FragmentReceiver(const ReceiveContext& message, std::unique_ptr<ReceiveChannel> channel);

  bool advance() override;
  /// Receives what is on its way without unpacking it.
  void discard() override;

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
  CtsReply reply_;
  PerFragment<Fragment> fragments_;
  std::int64_t offset_ = 0;  // of the next fragment to post
  std::int64_t posted_ = 0;
  std::int64_t finished_ = 0;
  bool refused_;
  bool discarding_ = false;
  bool sender_failed_ = false;
};

/// By this channel; null if that is null, as where there is none for this message.
std::unique_ptr<ReceiveProtocol> receive_fragments(const ReceiveContext& message,
                                                   std::unique_ptr<ReceiveChannel> channel);
/// Tells the sender that nothing is to be sent.
std::unique_ptr<ReceiveProtocol> refuse(const ReceiveContext& message);

}  // namespace typewarp::transport
