// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/arena.hpp"

#include <algorithm>

namespace typewarp::transport {

Room::~Room() {
  if (home_ != nullptr) home_->give(place_, bytes_);
}

std::byte* Room::data() const noexcept { return home_->memory_ + place_; }

Arena::Arena(std::byte* memory, std::int64_t bytes) : memory_(memory), gaps_{{0, bytes}} {}

// The first gap that is long enough: what is taken first is given back first, mostly.
Room Arena::take(std::int64_t bytes) {
  const std::int64_t rounded = (bytes + alignment - 1) / alignment * alignment;
  const std::lock_guard lock(mutex_);
  gaps_.reserve(rooms_ + 2);  // as many as there can be then: to give a room back allocates nothing
  const auto gap = std::ranges::find_if(gaps_, [&](const Gap& one) { return one.bytes >= rounded; });
  if (gap == gaps_.end()) return {};
  const std::int64_t place = gap->place;
  gap->place += rounded;
  gap->bytes -= rounded;
  if (gap->bytes == 0) gaps_.erase(gap);
  ++rooms_;
  return {*this, place, rounded};
}

std::size_t Arena::rooms() const {
  const std::lock_guard lock(mutex_);
  return rooms_;
}

void Arena::give(std::int64_t place, std::int64_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  --rooms_;
  auto behind = std::ranges::lower_bound(gaps_, place, {}, &Gap::place);
  const bool touches = behind != gaps_.end() && place + bytes == behind->place;
  if (touches) {
    behind->place = place;
    behind->bytes += bytes;
  }
  if (behind != gaps_.begin() && std::prev(behind)->place + std::prev(behind)->bytes == place) {
    std::prev(behind)->bytes += touches ? behind->bytes : bytes;
    if (touches) gaps_.erase(behind);
  } else if (!touches) {
    gaps_.insert(behind, {place, bytes});
  }
}

}  // namespace typewarp::transport
