// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/select.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace typewarp::transport {
namespace {

/// A protocol as the sender's choice, in the order of preference.
struct SendRow {
  Way way;
  const char* why;
  bool (*eligible)(const SendCase&, const SessionOptions&, const Profile&);
};

bool is_plain(const SendCase& message, const SessionOptions& options) noexcept {
  if (message.bytes < rts_bytes) return true;
  if (message.bytes == rts_bytes || options.protocol == Protocol::pipelined) return false;
  return message.bytes <= options.eager_bytes;
}

bool goes_through_ring(const SendCase& message, const RingPolicy& policy) noexcept {
  if (message.on_device || !message.ring) return false;
  if (message.in_place) return message.bytes >= policy.least_in_place;
  return message.bytes >= policy.least_bytes && message.bytes <= policy.most_bytes;
}

constexpr std::array send_rows{
    SendRow{
        Way::eager, "the receiver takes no announcements",
        [](const SendCase& message, const SessionOptions&, const Profile&) { return !message.takes_rts; }},
    SendRow{Way::get, "the receiver can map the memory",
            [](const SendCase& message, const SessionOptions& options, const Profile&) {
              return asks_for_name(message, options) && message.named;
            }},
    SendRow{Way::ipc_fragments, "the receiver can map the pool, and not the memory",
            [](const SendCase& message, const SessionOptions& options, const Profile&) {
              return asks_for_name(message, options) && !is_plain(message, options);
            }},
    SendRow{Way::ring, "host memory of ranks on one host",
            [](const SendCase& message, const SessionOptions&, const Profile& profile) {
              return goes_through_ring(message, profile.ring);
            }},
    SendRow{Way::eager, "up to the eager limit",
            [](const SendCase& message, const SessionOptions& options, const Profile&) {
              return is_plain(message, options);
            }},
    SendRow{Way::host_fragments, "beyond the eager limit",
            [](const SendCase&, const SessionOptions&, const Profile&) { return true; }}};

/// The same at the receiver.
struct ReceiveRow {
  Way way;
  const char* why;
  bool (*eligible)(const ReceiveCase&, const Profile&);
};

bool reads_in_place(const ReceiveCase& message, const RingPolicy& policy) noexcept {
  return message.in_place && message.rts_data && message.bytes > policy.most_in_place;
}

constexpr std::array receive_rows{
    ReceiveRow{Way::ring, "it is in a ring, or is copied out of the sender's memory",
               [](const ReceiveCase& message, const Profile& profile) {
                 if (!message.rts_ring || !message.fits || message.on_device) return false;
                 return !reads_in_place(message, profile.ring) ||
                        (profile.ring.reads_memory && message.may_read);
               }},
    ReceiveRow{Way::get, "one kernel needs less time than fragments",
               [](const ReceiveCase& message, const Profile& profile) {
                 if (!message.rts_whole || !message.ipc || !message.fits) return false;
                 return !message.rts_chunks ||
                        !profile.direct.prefers_pieces(message.bytes, message.run, message.near);
               }},
    ReceiveRow{Way::ipc_fragments, "the sender's pool can be mapped",
               [](const ReceiveCase& message, const Profile&) {
                 return message.rts_chunks && message.ipc && message.fits;
               }},
    ReceiveRow{Way::gpu_fragments, "a link carries memory of both devices",
               [](const ReceiveCase& message, const Profile&) { return message.rts_link && message.fits; }},
    ReceiveRow{Way::host_fragments, "nothing else is possible",
               [](const ReceiveCase&, const Profile&) { return true; }}};

}  // namespace

const char* name(Way way) noexcept {
  constexpr std::array names{"eager",
                             "ring",
                             "get",
                             "fragments in the sender's pool",
                             "fragments by a link",
                             "fragments through the host"};
  return names[static_cast<std::size_t>(way)];
}

bool asks_for_name(const SendCase& message, const SessionOptions& options) noexcept {
  return message.ipc && message.bytes >= options.direct_bytes;
}

SendChoice select(const SendCase& message, const SessionOptions& options, const Profile& profile,
                  bool rings) noexcept {
  SendChoice choice;
  for (const SendRow& row : send_rows) {
    if (!row.eligible(message, options, profile) || (row.way == Way::ring && !rings)) continue;
    choice.way = row.way;
    choice.why = row.why;
    break;
  }
  choice.long_ring = choice.way == Way::ring && message.bytes >= profile.ring.long_from &&
                     message.threads >= profile.ring.least_threads;
  choice.offers_chunks = choice.way == Way::ipc_fragments ||
                         (choice.way == Way::get && message.bytes >= profile.direct.pieces_from);
  return choice;
}

ReceiveChoice select(const ReceiveCase& message, const Profile& profile, Way not_by) noexcept {
  const auto* const tried = std::ranges::find(receive_rows, not_by, &ReceiveRow::way);
  const auto* const first = tried == receive_rows.end() ? receive_rows.begin() : tried + 1;
  const auto* const row = std::find_if(first, receive_rows.end(),
                                       [&](const ReceiveRow& one) { return one.eligible(message, profile); });
  return {row->way, row->why};
}

bool is_verbose() noexcept {
  static const bool verbose = [] {
    const char* const set = std::getenv("TYPEWARP_VERBOSE");
    return set != nullptr && std::string_view(set) == "1";
  }();
  return verbose;
}

void print(const char* call, std::int64_t bytes, int peer, Way way, const char* why) noexcept {
  std::fprintf(stderr, "typewarp: %s of %lld bytes, rank %d, by %s: %s\n", call,
               static_cast<long long>(bytes), peer, name(way), why);
}

}  // namespace typewarp::transport
