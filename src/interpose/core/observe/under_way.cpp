// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/observe/under_way.hpp"

#include "base/never_destroyed.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <memory_resource>
#include <mutex>
#include <new>
#include <unordered_map>

namespace typewarp::interpose {
namespace {

/// Threads that have requests of their own seldom meet.
struct Shard {
  std::mutex mutex;
  std::pmr::unsynchronized_pool_resource memory;  ///< which keeps what requests leave for the next ones
  std::pmr::unordered_map<MPI_Request, UnderWay> requests{&memory};
};

std::array<Shard, 16>& shards() noexcept {
  static NeverDestroyed<std::array<Shard, 16>> instance;  // threads may call after the library has ended
  return instance.get();
}

Shard& shard_of(MPI_Request request) noexcept {
  constexpr std::size_t multiplier = 0x9e3779b97f4a7c15;  // of the golden ratio
  return shards()[std::hash<MPI_Request>{}(request)*multiplier >> 60];
}

void conclude(UnderWay& message) noexcept {
  if (!message.active) return;
  message.active = false;
  message.site->totals.times[record::class_of(message.nanoseconds)].fetch_add(1, std::memory_order_relaxed);
}

/// Calls `act` with what is known of a request, under the lock.
template <class Act>
void with(MPI_Request request, const Act& act) noexcept {
  if (request == MPI_REQUEST_NULL) return;
  Shard& shard = shard_of(request);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.requests.find(request);
  if (found != shard.requests.end()) act(shard, found);
}

/// How many bytes those messages touch that the call has completed, or, with `all`, any.
std::int64_t touched(std::span<const MPI_Request> before, const MPI_Request* after, bool all) noexcept {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (all || before[i] != after[i])
      with(before[i], [&](Shard&, auto found) { sum += found->second.touched; });
  }
  return sum;
}

}  // namespace

void note_request(MPI_Request request, const UnderWay& made) noexcept {
  if (request == MPI_REQUEST_NULL) return;
  try {
    Shard& shard = shard_of(request);
    const std::lock_guard lock(shard.mutex);
    // MPIs give one request to all messages that are complete at once.
    const auto [place, is_new] = shard.requests.try_emplace(request, made);
    if (is_new) return;
    conclude(place->second);
    place->second = made;
  } catch (const std::bad_alloc&) {  // its waits are nobody's
  }
}

bool note_start(MPI_Request request, std::int64_t nanoseconds) noexcept {
  bool known = false;
  with(request, [&](Shard&, auto found) {
    UnderWay& message = found->second;
    if (!message.persistent) return;
    known = true;
    conclude(message);
    message.active = true;
    message.nanoseconds = nanoseconds;
    message.site->totals.calls.fetch_add(1, std::memory_order_relaxed);
    message.site->totals.bytes.fetch_add(message.bytes, std::memory_order_relaxed);
    message.site->totals.nanoseconds.fetch_add(nanoseconds, std::memory_order_relaxed);
  });
  return known;
}

void forget_request(MPI_Request request) noexcept {
  with(request, [](Shard& shard, auto found) {
    conclude(found->second);
    shard.requests.erase(found);
  });
}

bool note_wait(std::span<const MPI_Request> before, const MPI_Request* after,
               std::int64_t nanoseconds) noexcept {
  std::int64_t sum = touched(before, after, false);
  const bool all = sum == 0;
  if (all) sum = touched(before, after, true);
  if (sum == 0) return false;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool completed = before[i] != after[i];
    if (!all && !completed) continue;
    with(before[i], [&](Shard& shard, auto found) {
      UnderWay& message = found->second;
      const auto share = static_cast<std::int64_t>(
          static_cast<double>(nanoseconds) * static_cast<double>(message.touched) / static_cast<double>(sum));
      message.nanoseconds += share;
      message.site->totals.behind.fetch_add(share, std::memory_order_relaxed);
      if (!completed) return;
      conclude(message);
      shard.requests.erase(found);
    });
  }
  return true;
}

}  // namespace typewarp::interpose
