// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/landing.hpp"

#include <iterator>
#include <map>
#include <mutex>
#include <utility>

namespace typewarp::transport {
namespace {

struct Range {
  const std::byte* end;
  const Landing* landing;
  std::weak_ptr<Landing> in_use;
};

struct Ranges {
  std::mutex mutex;
  std::map<const std::byte*, Range> by_first;
};

Ranges& ranges() {
  static Ranges& instance = *new Ranges;  // receives may end as late as the process does
  return instance;
}

}  // namespace

Landing::Found Landing::at(const std::byte* first, std::int64_t bytes) {
  const std::byte* const end = first + bytes;
  auto made = std::make_shared<Landing>();  // goes, if it is not needed, when the lock is free again
  made->first_ = first;
  auto& [mutex, by_first] = ranges();
  const std::lock_guard lock(mutex);
  auto behind = by_first.upper_bound(first);
  if (behind != by_first.begin() && std::prev(behind)->second.end > first) --behind;
  while (behind != by_first.end() && behind->first < end) {
    if (std::shared_ptr<Landing> other = behind->second.in_use.lock()) return {nullptr, std::move(other)};
    behind = by_first.erase(behind);  // its last receive is going just now
  }
  by_first.emplace_hint(behind, first, Range{end, made.get(), made});
  return {std::move(made), nullptr};
}

Landing::~Landing() {
  auto& [mutex, by_first] = ranges();
  const std::lock_guard lock(mutex);
  const auto own = by_first.find(first_);
  if (own != by_first.end() && own->second.landing == this) by_first.erase(own);
}

}  // namespace typewarp::transport
