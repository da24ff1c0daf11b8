// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/cts.hpp"
#include "transport/protocol/fragments/fragment_sender.hpp"
#include "transport/protocol/get/get_server.hpp"
#include "transport/protocol/prepare_send.hpp"
#include "transport/protocol/ring/ring_message.hpp"
#include "transport/protocol/traffic.hpp"
#include "transport/request/operation.hpp"

#include <variant>

namespace typewarp::transport {

/// A message that is announced. Its receiver clears it and is sent fragments, or reads it itself if it was
/// given a key or a ring.
class RendezvousSend final : public Operation {
 public:
  RendezvousSend(const std::shared_ptr<SessionState>& session, MessageBuffer side, const Peer& to,
                 SendSetup setup);

  /// Throws MpiError, GpuError; nothing is in flight then.
  void start();
  /// Announces that there is no message, for `why`. Throws MpiError; nothing is in flight then.
  void start_failed(std::exception_ptr why);
  /// Goes on from the answer to an announcement that has left.
  void go_on(const Cts& cts);

 private:
  enum class State {
    waiting,   ///< for an answer
    ordering,  ///< cleared; waits for `turn_`
    moving,    ///< by fragments
    leaving,   ///< what was sent
  };
  using Code = Cts::Code;

  RingWriter* ring() noexcept { return std::get_if<RingWriter>(&protocol_); }
  FragmentSender* fragments() noexcept { return std::get_if<FragmentSender>(&protocol_); }

  bool run(bool block) override;
  void fail() override;
  void withdraw() override;
  bool withdrawn();

  void announce();
  std::int32_t link_limit();
  void fill_ring();
  bool take_answer();
  bool answered();
  void obey();
  bool ordered();
  bool move();
  void send_fragments();
  std::unique_ptr<SendChannel> channel();
  Carriage carriage() const;
  [[noreturn]] void receiver_failed() const;

  SessionState& session_;  ///< which home() owns
  MessageBuffer side_;
  std::optional<RemoteKey> key_;
  std::optional<GpuPath> link_way_;
  StreamPoint turn_;
  CtsListener cts_;
  RtsBytes rts_;
  Posted rts_sent_;
  GetServer get_;
  std::variant<std::monostate, RingWriter, FragmentSender> protocol_;  ///< a ring until it is answered
  State state_ = State::waiting;
  bool given_up_ = false;
  bool withdrawn_ = false;
};

}  // namespace typewarp::transport
