// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/select/select.hpp"

#include "base/environment.hpp"
#include "transport/protocol/select/protocol_row.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace typewarp::transport {
namespace {

template <typename Reason>
Choice first_behind(const ProtocolRow* after, Reason reason) {
  bool behind = after == nullptr;
  for (const ProtocolRow* const row : protocols()) {
    if (const char* const why = behind ? reason(*row) : nullptr) return {row, why};
    behind = behind || row == after;
  }
  return {};
}

}  // namespace

Choice select(const SendCase& message, const ProtocolRow* after) {
  return first_behind(after, [&](const ProtocolRow& row) {
    const bool possible = row.start == nullptr || message.receiver;
    return possible ? row.sends(message) : nullptr;
  });
}

Choice select(const ReceiveContext& message) {
  return first_behind(message.by, [&](const ProtocolRow& row) {
    return row.receives != nullptr ? row.receives(message) : nullptr;
  });
}

const ProtocolRow* row_of(ChannelId channel) noexcept {
  const auto found = std::ranges::find(protocols(), channel, &ProtocolRow::id);
  return found == protocols().end() ? nullptr : *found;
}

bool is_plain(std::int64_t bytes, const SessionOptions& options) noexcept {
  if (bytes < rts_bytes) return true;
  if (bytes == rts_bytes || options.protocol == Protocol::pipelined) return false;
  return bytes <= options.eager_bytes;
}

void tell(const char* call, std::int64_t bytes, int peer, const Choice& choice) noexcept {
  static const bool verbose = environment::is_set("TYPEWARP_VERBOSE");
  if (!verbose) return;
  std::fprintf(stderr, "typewarp: %s of %lld bytes, rank %d, by %s: %s\n", call,
               static_cast<long long>(bytes), peer, choice.by->name, choice.why);
}

}  // namespace typewarp::transport
