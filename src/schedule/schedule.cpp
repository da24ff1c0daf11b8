// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/schedule.hpp"

#include <map>
#include <set>
#include <utility>

namespace typewarp::schedule {
namespace {

std::int64_t aligned(std::int64_t bytes) {
  constexpr std::int64_t cache_line = 64;
  return (bytes + cache_line - 1) / cache_line * cache_line;
}

}  // namespace

std::vector<int> Schedule::peers() const {
  std::set<int> ranks;
  for (const std::vector<Part>* parts : {&sends, &receives}) {
    for (const Part& part : *parts) ranks.insert(part.peer);
  }
  ranks.erase(rank);
  return {ranks.begin(), ranks.end()};
}

PackedLayout::PackedLayout(std::span<const Part> parts, int rank, std::int64_t first_byte)
    : places(parts.size()), end(first_byte) {
  std::map<int, std::size_t> numbers;
  std::vector<PeerMessage> all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].bytes == 0) continue;
    const auto [number, is_new] = numbers.try_emplace(parts[i].peer, all.size());
    if (is_new) all.push_back({parts[i].peer, {}, 0, 0});
    all[number->second].parts.push_back(i);
  }
  for (PeerMessage& message : all) {
    std::int64_t& next = message.peer == rank ? own_end : end;
    message.begin = next;
    for (const std::size_t i : message.parts) places[i] = std::exchange(next, next + parts[i].bytes);
    message.bytes = next - message.begin;
    next = aligned(next);
    if (message.peer != rank) messages.push_back(std::move(message));
  }
}

}  // namespace typewarp::schedule
