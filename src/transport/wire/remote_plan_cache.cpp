// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/remote_plan_cache.hpp"

namespace typewarp::transport {

std::optional<Plan> RemotePlanCache::find(const plan::Identity& identity) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find({identity.words[0], identity.words[1]});
  if (found == places_.end()) return std::nullopt;
  entries_.splice(entries_.end(), entries_, found->second);
  return found->second->plan;
}

void RemotePlanCache::keep(const plan::Identity& identity, const Plan& plan, std::int64_t wire_bytes) {
  if (wire_bytes > most_bytes_ || most_plans_ == 0) return;
  const Key key{identity.words[0], identity.words[1]};
  const std::lock_guard lock(mutex_);
  if (places_.contains(key)) return;
  while (entries_.size() >= most_plans_ || bytes_ > most_bytes_ - wire_bytes) drop_oldest();
  std::list<Entry> made(1, Entry{key, plan, wire_bytes});
  places_.emplace(key, made.begin());
  entries_.splice(entries_.end(), made);
  bytes_ += wire_bytes;
}

std::size_t RemotePlanCache::kept() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

void RemotePlanCache::drop_oldest() {
  bytes_ -= entries_.front().bytes;
  places_.erase(entries_.front().key);
  entries_.pop_front();
}

}  // namespace typewarp::transport
