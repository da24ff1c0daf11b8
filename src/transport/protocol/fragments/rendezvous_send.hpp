// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/protocol/fragments/cts.hpp"
#include "transport/protocol/fragments/fragment_sender.hpp"
#include "transport/request/operation.hpp"

#include <optional>

namespace typewarp::transport {

/// Fragments through host memory, by the MPI: what is always possible.
extern const ProtocolRow host_row;

/// The announcement of a message, which offers these fragments, without a tag for the answer.
Rts announcement(SessionState& session, const MessageBuffer& side);

/// A message that is announced. Its receiver clears it and is sent fragments. Protocols that offer it more
/// derive from this.
class RendezvousSend : public Operation {
 public:
  RendezvousSend(const SendContext& message, MessageBuffer side);

  /// Throws MpiError, GpuError; nothing is in flight then.
  void start();
  /// Announces that there is no message, for `why`. Throws MpiError; nothing is in flight then.
  void start_failed(std::exception_ptr why);
  /// Goes on from the answer to an announcement that has left.
  void go_on(const Cts& cts) noexcept;

 protected:
  using Code = Cts::Code;
  /// What carries fragments, and the protocol that has it.
  struct Carrier {
    const ProtocolRow& by;
    std::unique_ptr<SendChannel> channel;
  };

  /// Adds what the receiver may use besides.
  virtual void announce(Offers&) {}
  /// The announcement has left. What this throws ends the message.
  virtual void announced() {}
  /// Whether there is an answer, in `cts_`. Moves on meanwhile.
  virtual bool answered() { return cts_.arrived(); }
  /// For answers that ask for something. Whether another one comes.
  virtual bool serve() { cts_.refuse("asks for what was not offered"); }
  /// For those that ask for fragments.
  virtual Carrier carrier();
  /// Whether nothing of what was sent is under way.
  virtual bool left() { return rts_sent_.test() && notice_.test(); }
  /// The message is given up: nothing is read of the user's memory from here on.
  virtual void drop();

  bool given_up() const noexcept { return given_up_; }
  bool readable() { return turn_.reached(false); }

  SessionState& session_;  ///< which home() owns
  const ProtocolRow& by_;
  MessageBuffer side_;
  CtsListener cts_;

 private:
  enum class State {
    waiting,   ///< for an answer
    ordering,  ///< cleared; waits for `turn_`
    moving,    ///< by fragments
    leaving,   ///< what was sent
  };

  bool run(bool block) override;
  void fail() final;
  bool is_send() const noexcept override { return true; }
  void withdraw() override;
  bool withdrawn();
  void post();
  void obey();
  void send_fragments();

  StreamPoint turn_;
  RtsBytes rts_;
  Posted rts_sent_;
  Posted notice_;
  std::optional<FragmentSender> fragments_;
  State state_ = State::waiting;
  bool given_up_ = false;
  bool withdrawn_ = false;
};

}  // namespace typewarp::transport
