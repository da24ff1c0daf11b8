// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/protocol/fragments/cts.hpp"
#include "transport/protocol/fragments/fragment_sender.hpp"
#include "transport/request/operation.hpp"

#include <optional>

namespace typewarp::transport {

/// Fragments through host memory by MPI messages: always possible.
extern const ProtocolRow host_row;

/// The announcement of a message, with the offer of such fragments and no tag for the answer yet.
Rts announcement(SessionState& session, const MessageBuffer& side);

/// An announced message: the receiver answers, and gets fragments. Protocols that offer more derive from
/// this.
class RendezvousSend : public Operation {
 public:
  RendezvousSend(const SendContext& message, MessageBuffer side);

  /// Throws MpiError, GpuError; then nothing is in flight.
  void start();
  /// Announces a message that failed with `why`. Throws MpiError; then nothing is in flight.
  void start_failed(std::exception_ptr why);
  /// Continues from an answer that came while the sender was in a blocking call.
  void go_on(const Cts& cts) noexcept;

 protected:
  using Code = Cts::Code;
  /// What carries the fragments, and its protocol.
  struct Carrier {
    const ProtocolRow& by;
    std::unique_ptr<SendChannel> channel;
  };

  /// Adds more offers.
  virtual void announce(Offers&) {}
  /// Called when the announcement has been sent. An exception ends the message.
  virtual void announced() {}
  /// Whether there is an answer in `cts_`. Makes progress until then.
  virtual bool answered() { return cts_.arrived(); }
  /// Serves an answer that asks for something. Returns whether another answer follows.
  virtual bool serve() { cts_.refuse("asks for what was not offered"); }
  /// What carries the fragments that an answer asks for.
  virtual Carrier carrier();
  /// Whether everything that was sent has left.
  virtual bool left() { return rts_sent_.test() && notice_.test(); }
  /// Gives the message up: the user's memory is not read any more.
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
