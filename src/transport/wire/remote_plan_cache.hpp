// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/wire.hpp"

#include <list>
#include <map>
#include <mutex>
#include <utility>

namespace typewarp::transport {

/// Plans of other ranks by their identity. The one that was not used for longest goes first. Thread safe.
class RemotePlanCache {
 public:
  /// Keeps at most `plans` plans that had `bytes` bytes on the wire together.
  RemotePlanCache(std::size_t plans, std::int64_t bytes) : most_plans_(plans), most_bytes_(bytes) {}

  std::optional<Plan> find(const plan::Identity& identity);
  void keep(const plan::Identity& identity, const Plan& plan, std::int64_t wire_bytes);
  std::size_t kept() const;

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  struct Entry {
    Key key;
    Plan plan;
    std::int64_t bytes;
  };

  void drop_oldest();

  std::size_t most_plans_;
  std::int64_t most_bytes_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::list<Entry> entries_;  ///< the longest unused one first
  std::map<Key, std::list<Entry>::iterator> places_;
  std::int64_t bytes_ = 0;
};

}  // namespace typewarp::transport
