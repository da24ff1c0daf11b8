// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace typewarp::interpose {

/// What this library knows of objects of the MPI that are in use, by their handles. Thread safe.
template <class Handle, class Known>
class HandleTable {
 public:
  using Map = std::map<Handle, std::shared_ptr<Known>>;
  using Entry = typename Map::node_type;

  /// To be added when its handle is known. Throws std::bad_alloc.
  static Entry entry(std::shared_ptr<Known> known) {
    Map made;
    made.emplace(Handle(), std::move(known));
    return made.extract(made.begin());
  }

  bool any() const noexcept { return number_.load(std::memory_order_acquire) != 0; }
  /// Null if there is none.
  std::shared_ptr<Known> find(Handle handle) noexcept {
    if (!any()) return nullptr;
    const std::lock_guard lock(mutex_);
    const auto found = map_.find(handle);
    return found == map_.end() ? nullptr : found->second;
  }
  std::shared_ptr<Known> find_or_make(Handle handle) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Known>& known = map_[handle];
    number_.store(map_.size(), std::memory_order_release);
    if (!known) known = std::make_shared<Known>();
    return known;
  }
  /// In place of what had the handle before.
  void add(Handle handle, Entry entry) noexcept {
    entry.key() = handle;
    const std::lock_guard lock(mutex_);
    map_.erase(handle);
    map_.insert(std::move(entry));
    number_.store(map_.size(), std::memory_order_release);
  }
  /// Forgets and returns it.
  std::shared_ptr<Known> take(Handle handle) noexcept {
    const std::lock_guard lock(mutex_);
    Entry taken = map_.extract(handle);
    number_.store(map_.size(), std::memory_order_release);
    return taken ? std::move(taken.mapped()) : nullptr;
  }

 private:
  std::mutex mutex_;
  Map map_;
  std::atomic<std::size_t> number_{0};
};

}  // namespace typewarp::interpose
