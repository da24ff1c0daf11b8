// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/pending.hpp"

#include <algorithm>

namespace typewarp::transport {
namespace {

auto matching(int source, int tag) {
  return [=](const Pending& message) {
    return (source == MPI_ANY_SOURCE || source == message.source) &&
           (tag == MPI_ANY_TAG || tag == message.tag);
  };
}

}  // namespace

const Pending* PendingMessages::find(int source, int tag) const {
  const auto found = std::ranges::find_if(messages_, matching(source, tag));
  return found == messages_.end() ? nullptr : &*found;
}

std::optional<Pending> PendingMessages::take(int source, int tag) {
  const auto found = std::ranges::find_if(messages_, matching(source, tag));
  if (found == messages_.end()) return std::nullopt;
  std::optional<Pending> message = std::move(*found);
  messages_.erase(found);
  return message;
}

}  // namespace typewarp::transport
