// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/observe/statistics.hpp"

#include "base/never_destroyed.hpp"
#include "datatype/of_thread.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace typewarp::interpose {
namespace {

/// Those of all threads. Threads that begin go on with what others have left.
class Shards {
 public:
  Counters* take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      free_.reserve(all_.size() + 1);
      all_.push_back(std::make_unique<Counters>());
      return all_.back().get();
    }
    Counters* const taken = free_.back();
    free_.pop_back();
    return taken;
  }
  void give_back(Counters* shard) noexcept {
    const std::lock_guard lock(mutex_);
    free_.push_back(shard);  // has room for all
  }
  template <class Act>
  void for_each(Act act) noexcept {
    const std::lock_guard lock(mutex_);
    for (const auto& shard : all_) act(*shard);
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Counters>> all_;
  std::vector<Counters*> free_;
};

Shards& shards() {
  static NeverDestroyed<Shards> instance;  // threads may end after the library has
  return instance.get();
}

class Hold {
 public:
  Hold() : mine_(shards().take()) {}
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() { shards().give_back(mine_); }

  Counters* get() const noexcept { return mine_; }

 private:
  Counters* mine_;
};

}  // namespace

Counters* counters() noexcept {
  try {
    return OfThread<const Hold>::get().get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

std::array<CallCounts<std::int64_t>, calls> counted() noexcept {
  std::array<CallCounts<std::int64_t>, calls> sums{};
  shards().for_each([&](const Counters& shard) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i].calls += shard[i].calls;
      sums[i].nanoseconds += shard[i].nanoseconds;
      sums[i].bytes += shard[i].bytes;
      sums[i].ours += shard[i].ours;
      sums[i].bytes_of_ours += shard[i].bytes_of_ours;
      for (std::size_t k = 0; k < sums[i].left.size(); ++k) sums[i].left[k] += shard[i].left[k];
    }
  });
  return sums;
}

}  // namespace typewarp::interpose
