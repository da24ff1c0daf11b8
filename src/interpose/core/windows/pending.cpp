// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/pending.hpp"

#include "interpose/core/observe/observed.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace typewarp::interpose {
namespace {

bool computes(const LocalMemory& memory) { return memory.use == Use::operand || memory.use == Use::result; }
bool is_read(const LocalMemory& memory) { return memory.use == Use::sent || memory.use == Use::operand; }

}  // namespace

Given as_they_are(std::initializer_list<LocalMemory> memories) noexcept {
  Given given{};
  std::size_t i = 0;
  for (const LocalMemory& memory : memories) given[i++] = {const_cast<void*>(memory.buffer), memory.type};
  return given;
}

LocalCopies::LocalCopies(std::initializer_list<LocalMemory> memories) : given_(as_they_are(memories)) {
  std::size_t i = 0;
  for (const LocalMemory& memory : memories) {
    if (items_are_ours(memory.buffer, memory.count, memory.type, MPI_COMM_NULL))
      add(copies_[i], given_[i], memory);
    ++i;
  }
}

void LocalCopies::add(Copy& copy, GivenMemory& given, const LocalMemory& memory) {
  copy.is_written = !is_read(memory);
  if (computes(memory)) {
    copy.operand.emplace(Operand{memory.buffer, memory.count, memory.type, MPI_COMM_NULL});
    if (is_read(memory)) copy.operand->pack();
    given.buffer = const_cast<void*>(copy.operand->given().buffer);
    tell_taken(copy.operand->bytes());
  } else {
    constexpr std::size_t one_block = 1;
    copy.even.emplace(EvenBlocks{memory.buffer, memory.count, memory.type, one_block, MPI_COMM_NULL});
    if (is_read(memory)) copy.even->pack();
    const EvenBlocks packed = copy.even->given();
    given = {const_cast<void*>(packed.buffer), packed.type};
    tell_taken(copy.even->bytes());
  }
}

void LocalCopies::finish() {
  const std::lock_guard lock(mutex_);
  if (!begun_.exchange(false)) return;
  Moves moves;
  for (Copy& copy : copies_) {
    if (!copy.is_written) continue;
    if (copy.even) copy.even->unpack(moves);
    if (copy.operand) copy.operand->unpack(moves);
  }
  moves.reached(true);
}

void Pending::keep(MPI_Win window, int target, const std::shared_ptr<LocalCopies>& copies, bool has_request) {
  const std::lock_guard lock(mutex_);
  std::vector<Call>& kept = calls_[window];
  if (kept.size() == kept.capacity()) {  // before it grows: of requests that are complete nothing stays
    const std::size_t gone = std::erase_if(kept, [](const Call& call) { return call.copies.expired(); });
    kept_.fetch_sub(gone, std::memory_order_relaxed);
  }
  kept.push_back({target, copies, has_request ? nullptr : copies});
  kept_.fetch_add(1, std::memory_order_relaxed);
}

std::vector<Pending::Call> Pending::take(MPI_Win window, std::optional<int> target) {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(window);
  if (found == calls_.end()) return {};
  std::vector<Call>& kept = found->second;
  const auto stays = [&](const Call& call) { return target && call.target != *target; };
  const auto first = std::stable_partition(kept.begin(), kept.end(), stays);
  std::vector<Call> taken(std::make_move_iterator(first), std::make_move_iterator(kept.end()));
  kept.erase(first, kept.end());
  if (kept.empty()) calls_.erase(found);
  kept_.fetch_sub(taken.size(), std::memory_order_relaxed);
  return taken;
}

void Pending::finish(MPI_Win window, std::optional<int> target) {
  std::exception_ptr failure;
  for (const Call& call : take(window, target)) {
    try {
      if (const auto copies = call.copies.lock()) copies->finish();
    } catch (const std::exception&) {
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

void Pending::forget(MPI_Win window) noexcept { take(window, std::nullopt); }

Pending& pending() {
  static Pending& instance = *new Pending;
  return instance;
}

}  // namespace typewarp::interpose
