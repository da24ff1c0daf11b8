// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/protocol/remote_key.hpp"
#include "transport/protocol/fragment_sender.hpp"
#include "transport/protocol/ring_message.hpp"
#include "transport/protocol/traffic.hpp"

#include <vector>

namespace typewarp::transport {

/// A message that is announced by a descriptor. Its receiver clears it and is sent pieces, or reads it itself
/// if it was offered to.
class RendezvousSend final : public Operation {
 public:
  /// To rank `receiver` of the Transport, which may get it through `ring` if there is one.
  RendezvousSend(Side side, const Peer& to, std::shared_ptr<Core> home, int receiver,
                 std::optional<Offer> offer = std::nullopt, OwnRing ring = {});

  /// Throws MpiError, CudaError; nothing is in flight then.
  void start();
  /// Goes on from the answer to an announcement that has left.
  void go_on(const Clearance& clearance);

 private:
  enum class State {
    waiting,   ///< for an answer
    ordering,  ///< cleared; waits for `turn_`
    moving,    ///< through `pieces_`
    leaving,   ///< what was sent
  };
  using Verdict = Clearance::Verdict;

  bool run(bool block) override;
  void fail() override;

  void announce();
  void await_answer();
  bool take_answer();
  void fill_ring();
  bool answered();
  void obey();
  bool ordered();
  bool move();
  [[noreturn]] void receiver_failed() const;
  void take_pieces();
  Carriage carriage() const;  ///< of pieces
  std::optional<SharedWay> shared_way();
  std::int32_t link_limit();
  void send_wire();
  void note_failure();
  /// Where the receiver has said that it waits for what is sent.
  Peer clearing() const { return {receiver_, clearance_.data_tag, home()->comm()}; }

  Side side_;
  int receiver_;
  std::optional<Offer> offer_;
  std::optional<LinkWay> linked_;
  Turn turn_;
  Tag tag_;
  DescriptorBytes descriptor_;
  Posted announcement_;
  Clearance clearance_{};
  Posted answer_;
  std::vector<std::byte> wire_;
  Posted wire_sent_;
  Posted note_;  ///< that the memory may be read, or that there is nothing
  std::optional<Outgoing> pieces_;
  std::optional<RingWriter> ring_;  ///< until it is answered
  State state_ = State::waiting;
  bool given_up_ = false;
};

}  // namespace typewarp::transport
