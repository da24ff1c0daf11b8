// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/inbox.hpp"

#include "transport/request/operation.hpp"
#include "transport/wire/rts.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace typewarp::transport {

void Inbox::open(std::byte* in_place, std::int64_t room, bool announced, BufferPath::Kind copy) {
  room_ = room;
  data_ = in_place;
  if (in_place != nullptr && announced) {
    guard_ = ReceiveAliasGuard::at(in_place, room);
    if (guard_.is_shared()) data_ = nullptr;
  }
  if (data_ != nullptr) return;
  room_ = std::max(room, least_guarded());
  staging_ = Staging(copy, guarded_bytes(room_));
  data_ = staging_.data();
}

void Inbox::post(const Peer& from) {
  message_ = is_copy() ? start_guarded_receive(data_, room_, from) : start_receive(data_, room_, from);
}

void Inbox::adopt(const UnexpectedMessage& found) {
  if (found.message == MPI_MESSAGE_NULL) return;
  message_ = is_copy() ? start_guarded_receive(data_, room_, found.message)
                       : start_receive(data_, room_, found.message);
}

void Inbox::keep(UnexpectedQueue::Place place) noexcept {
  if (place.front().message == MPI_MESSAGE_NULL) found_ = std::move(place);
}

std::optional<Status> Inbox::finish(bool block, std::int64_t bytes) {
  if (!found_.empty()) return finish_found(block);
  MPI_Status raw{};
  const auto status = [&raw] {
    return Status{.source = raw.MPI_SOURCE, .tag = raw.MPI_TAG, .bytes = received_bytes(raw)};
  };
  try {
    if (!message_.finish(block, &raw)) {
      guard_.count_look();
      return std::nullopt;
    }
  } catch (const MpiError& error) {
    if (error.error_class() != MPI_ERR_TRUNCATE) throw;
    throw Truncated(error, status(), bytes);
  }
  if (is_cancelled(raw)) return Status{.cancelled = true};
  if (is_copy()) close_gap(data_, room_, received_bytes(raw));
  return status();
}

std::optional<Status> Inbox::finish_found(bool block) {
  UnexpectedMessage& found = found_.front();
  if (!found.arriving.finish(block)) return std::nullopt;
  std::memcpy(data_, found.data.data(), rts_bytes);
  const Status status{.source = found.source, .tag = found.tag, .bytes = rts_bytes};
  found_.clear();
  return status;
}

Inbox::Other Inbox::other() {
  if (!guard_.is_shared() || has_its_turn_) return Other::none;
  constexpr unsigned looks_enough = 2;
  if (!guard_.over() && guard_.looks() - looks_before_ < looks_enough) return Other::waits;
  has_its_turn_ = true;
  return guard_.over() ? Other::none : Other::overrides;
}

}  // namespace typewarp::transport
