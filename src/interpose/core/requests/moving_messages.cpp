// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/requests/moving_messages.hpp"

#include "interpose/core/requests/results.hpp"
#include "transport/request/operation.hpp"

#include <algorithm>
#include <utility>

namespace typewarp::interpose {
namespace {

using transport::Waiting;

// Of a time limit: how long at least from look to look, and how much of what passed in between counts at
// most.
constexpr int looks_in_limit = 16;
constexpr int gaps_in_limit = 8;

/// As many are there often, so that room is made for more than is asked for.
template <class Item>
void make_room(std::vector<Item>& items, std::size_t more) {
  if (items.capacity() - items.size() >= more) return;
  items.reserve(std::max(items.size() + more, 2 * items.capacity()));
}

}  // namespace

void MovingMessages::take_in(Chain& arriving) {
  while (MessageOperation* const next = arriving.first()) {
    make_room(requests_, next->messages.arriving.size());
    make_room(parts_, next->messages.arriving.size());
    for (Request& message : next->messages.arriving) {
      parts_.push_back({next, &message == &next->messages.arriving.front()});
      requests_.push_back(std::move(message));
    }
    next->messages.arriving.clear();
    arriving.take();
  }
}

void MovingMessages::cancel(std::mutex& mutex) noexcept {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const bool is_cancelled = [&] {
      const std::lock_guard lock(mutex);
      return parts_[i].of->messages.cancelled;
    }();
    if (is_cancelled) requests_[i].cancel();
  }
}

MovingMessages::End MovingMessages::end_of(Request& message) noexcept {
  try {
    return {Waiting::finish(message), nullptr};
  } catch (const transport::Truncated& truncated) {
    return {status_of(truncated), std::current_exception()};
  } catch (...) {
    return {{}, std::current_exception()};
  }
}

void MovingMessages::note(const End& end, const Part& part, Chain& over) noexcept {
  MessageOperation& operation = *part.of;
  if (!operation.messages.error) operation.messages.error = end.error;
  if (part.first) operation.messages.status = end.status;
  if (--operation.messages.awaited != 0) return;
  ++operation.telling;
  over.add(operation);
}

void MovingMessages::end_late(const WaitedFor& late, Standstill::Clock::duration limit, std::mutex& mutex,
                              Chain& over) noexcept {
  {
    const std::lock_guard lock(mutex);
    if (!are_late(late, limit)) return;
  }
  for (MessageOperation* const operation : late.operations) {
    if (!operation->messages.standstill.watched) continue;
    give_up(*operation, mutex, over);
    if (late.only_first) return;
  }
}

// Those that are watched then are late.
bool MovingMessages::are_late(const WaitedFor& late, Standstill::Clock::duration limit) noexcept {
  const std::span<MessageOperation* const> operations = late.operations;
  const auto now = Standstill::Clock::now();
  bool is_time = false;
  for (MessageOperation* const operation : operations) {
    Standstill& standstill = operation->messages.standstill;
    standstill.watched = operation->messages.arriving.empty();
    standstill.counted = operation->messages.awaited;
    is_time = is_time || now - standstill.looked >= limit / looks_in_limit;
  }
  if (!is_time) return false;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Standstill& standstill = parts_[i].of->messages.standstill;
    if (!standstill.watched || parts_[i].given_up) continue;
    standstill.watched = Waiting::is_limited(requests_[i]);
    standstill.counted += Waiting::steps_of(requests_[i]);
  }
  auto shortest = Standstill::Clock::duration::max();
  for (MessageOperation* const operation : operations) {
    Standstill& standstill = operation->messages.standstill;
    if (!standstill.watched) continue;
    standstill.look(now, late.in_wait ? limit + limit : limit / gaps_in_limit);
    shortest = std::min(shortest, standstill.lasts);
  }
  if (shortest <= limit) return false;
  for (MessageOperation* const operation : operations)
    operation->messages.standstill.lasts = {};  // the next wait has all of it
  return true;
}

// A message that ends meanwhile has not been given up: whoever looks next takes it out.
void MovingMessages::give_up(const MessageOperation& operation, std::mutex& mutex, Chain& over) noexcept {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    if (part.of != &operation || part.given_up || Waiting::over(requests_[i])) continue;
    const std::exception_ptr why = Waiting::give_up(requests_[i]);
    if (Waiting::over(requests_[i])) continue;
    const std::lock_guard lock(mutex);
    part.given_up = true;
    note({{}, why}, part, over);
  }
}

}  // namespace typewarp::interpose
