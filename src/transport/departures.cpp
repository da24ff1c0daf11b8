// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/departures.hpp"

#include <algorithm>

namespace typewarp::transport {

bool Departures::any(const Peer& to) const {
  if (empty()) return false;
  const std::lock_guard lock(mutex_);
  return lines_.contains({to.comm, to.rank});
}

Departures::Place Departures::join(const Peer& to) {
  Place place;
  const std::lock_guard lock(mutex_);
  place.line_ = {to.comm, to.rank};
  place.number_ = ++joined_;
  lines_[place.line_].push_back(place.number_);
  waiting_.fetch_add(1, std::memory_order_release);
  place.home_ = this;
  return place;
}

bool Departures::Place::first() const {
  const std::lock_guard lock(home_->mutex_);
  return home_->lines_.find(line_)->second.front() == number_;
}

void Departures::Place::leave() noexcept {
  if (home_ == nullptr) return;
  Departures& home = *std::exchange(home_, nullptr);
  const std::lock_guard lock(home.mutex_);
  const auto line = home.lines_.find(line_);
  line->second.erase(std::ranges::find(line->second, number_));
  if (line->second.empty()) home.lines_.erase(line);
  home.waiting_.fetch_sub(1, std::memory_order_release);
}

}  // namespace typewarp::transport
