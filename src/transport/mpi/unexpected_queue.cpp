// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/unexpected_queue.hpp"

#include <algorithm>

namespace typewarp::transport {
namespace {

auto matching(int source, int tag) {
  return [=](const UnexpectedMessage& message) {
    return (source == MPI_ANY_SOURCE || source == message.source) &&
           (tag == MPI_ANY_TAG || tag == message.tag);
  };
}

}  // namespace

UnexpectedMessage* UnexpectedQueue::find(int source, int tag) {
  const auto found = std::ranges::find_if(messages_, matching(source, tag));
  return found == messages_.end() ? nullptr : &*found;
}

UnexpectedQueue::Place UnexpectedQueue::take(const UnexpectedMessage& message) noexcept {
  Place taken;
  const auto found =
      std::ranges::find_if(messages_, [&](const UnexpectedMessage& one) { return &one == &message; });
  taken.splice(taken.end(), messages_, found);
  return taken;
}

}  // namespace typewarp::transport
