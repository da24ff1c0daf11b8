// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/collective_starts.hpp"

#include "engine/runtime/stream.hpp"
#include "plan/arithmetic.hpp"

#include <typewarp/error.hpp>

#include <utility>

namespace typewarp::exchange {
namespace {

/// Of a device that has failed nothing is known: its next call tells.
bool is_past(const gpu::Event& event) noexcept {
  try {
    return event.done();
  } catch (const GpuError&) {
    return false;
  }
}

}  // namespace

CollectiveStarts::CollectiveStarts(int device, int rank, std::span<std::byte* const> memories,
                                   bool is_watched)
    : reduction_(device, rank, memories), is_watched_(is_watched) {
  gpu::NumbersOfRanks numbers{};
  numbers.result = gpu::NumbersOfRanks::Result::from_root;
  reduction_.load(numbers);
  numbers.result = gpu::NumbersOfRanks::Result::of_all;
  for (int value = 0; value <= static_cast<int>(Named::two_integer); ++value) {
    numbers.type = static_cast<Named>(value);
    if (plan::visit_number(numbers.type, [](auto, plan::NumberKind) {})) reduction_.load(numbers);
  }
}

void CollectiveStarts::enqueue(const gpu::NumbersOfRanks& numbers, Stream stream) {
  const bool is_captured = gpu::capturing(stream);
  if (is_captured) captured_.store(true);
  if (is_captured || !is_watched_) return reduction_.enqueue(numbers, stream);
  Watched call{gpu::Event(reduction_.device()), gpu::Event(reduction_.device())};
  call.reached.record(stream);
  reduction_.enqueue(numbers, stream);
  call.ended.record(stream);
  const std::lock_guard lock(mutex_);
  calls_.push_back(std::move(call));
}

void CollectiveStarts::drop_ended() const {
  while (!calls_.empty() && is_past(calls_.front().ended)) {
    calls_.pop_front();
    ++ended_;
  }
}

bool CollectiveStarts::done() const noexcept {
  if (!is_watched_) return reduction_.done();
  const std::lock_guard lock(mutex_);
  drop_ended();
  return calls_.empty();
}

bool CollectiveStarts::waits() const noexcept {
  const std::lock_guard lock(mutex_);
  drop_ended();
  return !calls_.empty() && is_past(calls_.front().reached);
}

bool CollectiveStarts::changed() noexcept {
  const std::lock_guard lock(mutex_);
  drop_ended();
  return std::exchange(ended_seen_, ended_) != ended_;
}

}  // namespace typewarp::exchange
