// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/landing.hpp"

#include <iterator>
#include <map>
#include <mutex>

namespace typewarp::transport {
namespace {

struct Range {
  const std::byte* end;
  std::shared_ptr<Landing> landing;
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
  auto& [mutex, by_first] = ranges();
  const std::lock_guard lock(mutex);
  const auto behind = by_first.lower_bound(first);
  if (behind != by_first.end() && behind->first < end) return {nullptr, behind->second.landing};
  if (behind != by_first.begin() && std::prev(behind)->second.end > first) {
    return {nullptr, std::prev(behind)->second.landing};
  }
  auto made = std::make_shared<Landing>();
  made->first_ = first;
  by_first.emplace_hint(behind, first, Range{end, made});
  return {made, nullptr};
}

void Landing::end() noexcept {
  if (over_.exchange(true, std::memory_order_acq_rel)) return;
  auto& [mutex, by_first] = ranges();
  const std::lock_guard lock(mutex);
  by_first.erase(first_);
}

}  // namespace typewarp::transport
