// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/mpi/point_to_point.hpp"
#include "transport/wire/rts.hpp"

#include <mpi.h>

#include <algorithm>
#include <list>

namespace typewarp::transport {

/// A message that a probe took out of the MPI. If it has the length of an RTS, it is being received into this
/// object, which must not move until then. Else the MPI still has its data.
struct UnexpectedMessage {
  int source;
  int tag;
  std::int64_t bytes;  ///< as its receiver sees it; if it is being received, valid when that is done
  RtsBytes data;
  Posted arriving;
  MPI_Message message = MPI_MESSAGE_NULL;  ///< null if it is being received
};

/// Messages that were taken out of a communicator, in the order of arrival. They precede all messages of the
/// same source that the MPI still has: to look here first, then in the MPI, keeps MPI's order.
class UnexpectedQueue {
 public:
  /// One message, with its place in the list.
  using Place = std::list<UnexpectedMessage>;
  void add(Place place) noexcept { messages_.splice(messages_.end(), place); }
  /// Puts a message back that was the first to match.
  void put_back(Place place) noexcept { messages_.splice(messages_.begin(), place); }
  /// The first match, with wildcards; null if there is none.
  UnexpectedMessage* find(int source, int tag) {
    const auto found = std::ranges::find_if(messages_, [&](const UnexpectedMessage& message) {
      return (source == MPI_ANY_SOURCE || source == message.source) &&
             (tag == MPI_ANY_TAG || tag == message.tag);
    });
    return found == messages_.end() ? nullptr : &*found;
  }
  /// The message stays where it is in memory.
  Place take(const UnexpectedMessage& message) noexcept {
    Place taken;
    const auto found =
        std::ranges::find_if(messages_, [&](const UnexpectedMessage& one) { return &one == &message; });
    taken.splice(taken.end(), messages_, found);
    return taken;
  }
  bool empty() const noexcept { return messages_.empty(); }

 private:
  std::list<UnexpectedMessage> messages_;
};

}  // namespace typewarp::transport
