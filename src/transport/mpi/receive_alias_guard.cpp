// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/receive_alias_guard.hpp"

#include "base/never_destroyed.hpp"

#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace typewarp::transport {

/// All entries; no two overlap. Nodes are reused, since receives come and go all the time.
struct ReceiveAliasGuard::Entries {
  using Map = std::map<const std::byte*, Entry>;

  static Entries& all() {
    static NeverDestroyed<Entries> instance;  // receives may end as late as the process does
    return instance.get();
  }

  Entry& add(Map::iterator behind, const std::byte* first, const std::byte* end) {
    Map::iterator added;
    if (spare.empty()) {
      if (spare.capacity() <= by_first.size()) spare.reserve(2 * by_first.size() + 1);
      added = by_first.try_emplace(behind, first);
    } else {
      Map::node_type node = std::move(spare.back());
      spare.pop_back();
      node.key() = first;
      std::destroy_at(&node.mapped());
      std::construct_at(&node.mapped());
      added = by_first.insert(behind, std::move(node));
    }
    added->second.first = first;
    added->second.end = end;
    return added->second;
  }
  void drop(const Entry& entry) noexcept { spare.push_back(by_first.extract(entry.first)); }

  std::mutex mutex;
  Map by_first;
  std::vector<Map::node_type> spare;  ///< with room for all that there are
};

ReceiveAliasGuard ReceiveAliasGuard::at(const std::byte* first, std::int64_t bytes) {
  const std::byte* const end = first + bytes;
  Entries& entries = Entries::all();
  const std::lock_guard lock(entries.mutex);
  auto behind = entries.by_first.upper_bound(first);
  if (behind != entries.by_first.begin() && std::prev(behind)->second.end > first) --behind;
  if (behind == entries.by_first.end() || behind->first >= end) {
    return {entries.add(behind, first, end), true};
  }
  ++behind->second.shares;
  return {behind->second, false};
}

ReceiveAliasGuard::~ReceiveAliasGuard() {
  if (entry_ == nullptr) return;
  Entries& entries = Entries::all();
  const std::lock_guard lock(entries.mutex);
  if (--entry_->shares == 0) entries.drop(*entry_);
}

}  // namespace typewarp::transport
