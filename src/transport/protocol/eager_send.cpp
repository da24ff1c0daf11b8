// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/eager_send.hpp"

namespace typewarp::transport {

void EagerSend::start(SendMode mode, const Packed& packed) {
  packed_ = packed;
  message_ = start_send(data(), side_.bytes, peer(), mode);
}

// Where the packed bytes lie, all written.
bool EagerSend::run(bool block) {
  MPI_Status end{};
  if (!message_.finish(block, withdrawn_ ? &end : MPI_STATUS_IGNORE)) return false;
  status_.cancelled = withdrawn_ && is_cancelled(end);
  return true;
}

const std::byte* EagerSend::data() {
  if (packed_.staging) return packed_.staging->data() + packed_.place;
  if (!side_.on_device()) side_.turn().reached(true);
  if (side_.in_place()) return side_.route.first;
  const auto staging = std::make_shared<const Staging>(side_.route.kind, side_.bytes);
  side_.pack_now(staging->data());
  packed_ = {staging, 0};
  return staging->data();
}

}  // namespace typewarp::transport
