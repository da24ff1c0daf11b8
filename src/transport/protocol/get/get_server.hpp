// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/cts.hpp"

#include <typewarp/plan.hpp>

#include <vector>

namespace typewarp::transport {

/// What a sender does for a receiver that reads its memory, beside keeping it: sends what the answers ask
/// for.
class GetServer {
 public:
  /// The wire of the message's plan, for an answer that asks for it. Throws MpiError.
  void send_wire(const Plan& plan, const Peer& to);
  /// That the memory may be read.
  void send_ready(const Peer& to);
  /// That there is nothing.
  void send_failure(const Peer& to);
  /// Whether nothing of that is under way.
  bool left() { return wire_sent_.test() && note_.test(); }

 private:
  std::vector<std::byte> wire_;
  Posted wire_sent_;
  Posted note_;
};

}  // namespace typewarp::transport
