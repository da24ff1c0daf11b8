// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plans.hpp"

#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace typewarp::python {
namespace {

using Key = std::vector<Dimension>;

struct Hash {
  std::size_t operator()(const Key& key) const noexcept {
    std::uint64_t hash = key.size();
    for (const Dimension& d : key) {
      // Of the golden ratio, which spreads numbers that are near each other.
      hash = (hash ^ static_cast<std::uint64_t>(d.size)) * 0x9E3779B97F4A7C15U;
      hash = (hash ^ static_cast<std::uint64_t>(d.stride) ^ (hash >> 32)) * 0x9E3779B97F4A7C15U;
    }
    return hash ^ (hash >> 29);
  }
};

/// Plans by shape; the ones that were used longest ago make room.
class RecentPlans {
 public:
  Plan of(const Key& key) {
    const std::lock_guard lock(mutex_);
    if (const auto found = places_.find(key); found != places_.end()) {
      plans_.splice(plans_.begin(), plans_, found->second);
      return plans_.front().second;
    }
    plans_.emplace_front(key, commit(datatype_of(key)));
    places_.emplace(key, plans_.begin());
    if (plans_.size() > limit) {
      places_.erase(plans_.back().first);
      plans_.pop_back();
    }
    return plans_.front().second;
  }

 private:
  static constexpr std::size_t limit = 1024;

  std::mutex mutex_;
  std::list<std::pair<Key, Plan>> plans_;
  std::unordered_map<Key, std::list<std::pair<Key, Plan>>::iterator, Hash> places_;
};

}  // namespace

std::vector<Dimension> merged(const Array& array) {
  std::vector<Dimension> inner_first{{array.element.bytes(), 1}};
  for (std::size_t d = array.dimensions.size(); d-- > 0;) {
    const Dimension& dimension = array.dimensions[d];
    if (dimension.size == 0) return {{0, 1}};
    if (dimension.size == 1) continue;
    Dimension& inner = inner_first.back();
    std::int64_t end = 0;
    const bool follows = !__builtin_mul_overflow(inner.size, inner.stride, &end) && end == dimension.stride;
    if (follows) {
      inner.size *= dimension.size;  // at most the array's bytes, which fit 64 bits
    } else {
      inner_first.push_back(dimension);
    }
  }
  return {inner_first.rbegin(), inner_first.rend()};
}

Datatype datatype_of(const std::vector<Dimension>& merged) {
  Datatype type = contiguous(merged.back().size, Named::byte);
  for (std::size_t d = merged.size() - 1; d-- > 0;) type = hvector(merged[d].size, 1, merged[d].stride, type);
  return type;
}

Plan plan_of(const std::vector<Dimension>& merged) {
  static RecentPlans& plans = *new RecentPlans;  // outlives what the interpreter destroys last
  return plans.of(merged);
}

}  // namespace typewarp::python
