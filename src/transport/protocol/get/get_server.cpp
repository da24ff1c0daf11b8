// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/get/get_server.hpp"

#include "plan/wire.hpp"
#include "transport/tuning/direct_policy.hpp"

namespace typewarp::transport {
namespace {

constexpr std::byte ready{1};

}  // namespace

void GetServer::send_wire(const Plan& plan, const Peer& to) {
  wire_ = plan::to_wire(plan, direct_policy.longest_wire).value();
  wire_sent_ = start_send(wire_.data(), std::ssize(wire_), to);
}

void GetServer::send_ready(const Peer& to) { note_ = start_send(&ready, 1, to); }

void GetServer::send_failure(const Peer& to) { note_ = start_send(nullptr, 0, to); }

}  // namespace typewarp::transport
