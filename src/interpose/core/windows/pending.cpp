// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/pending.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace typewarp::interpose {

void Pending::sweep(Calls& kept) noexcept {
  const auto is_over = [](const Call& call) {
    const Copies copies = call.copies.lock();
    return !copies || copies->is_over();
  };
  kept_.fetch_sub(std::erase_if(kept, is_over), std::memory_order_release);
}

void Pending::keep(MPI_Win window, int target, const Copies& copies) {
  const std::lock_guard lock(mutex_);
  Calls& kept = calls_[window];
  if (kept.size() == kept.capacity()) {
    sweep(kept);  // of requests that are complete nothing stays
    if (kept.size() > kept.capacity() / 2) kept.reserve(2 * kept.capacity());
  }
  kept.push_back({target, copies, copies});
  kept_.fetch_add(1, std::memory_order_release);
}

void Pending::let_go(MPI_Win window, const Copies& copies) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(window);
  if (found == calls_.end()) return;
  for (auto call = found->second.rbegin(); call != found->second.rend(); ++call) {
    if (call->held == copies) return call->held.reset();
  }
}

std::vector<Pending::Copies> Pending::begun(MPI_Win window, std::optional<int> target) {
  std::vector<Copies> all;
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(window);
  if (found == calls_.end()) return all;
  for (const Call& call : found->second) {
    if (target && call.target != *target) continue;
    Copies copies = call.copies.lock();
    if (copies && copies->has_begun()) all.push_back(std::move(copies));
  }
  return all;
}

void Pending::sweep(MPI_Win window) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(window);
  if (found == calls_.end()) return;
  sweep(found->second);
  if (found->second.empty()) calls_.erase(found);
}

Pending::Table::node_type Pending::take(MPI_Win window) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(window);
  if (found == calls_.end()) return {};
  kept_.fetch_sub(found->second.size(), std::memory_order_release);
  return calls_.extract(found);
}

void Pending::put_back(Table::node_type taken) noexcept {
  if (taken.empty()) return;
  const std::lock_guard lock(mutex_);
  kept_.fetch_add(taken.mapped().size(), std::memory_order_release);
  calls_.insert(std::move(taken));
}

Pending& pending() {
  static Pending& instance = *new Pending;
  return instance;
}

void finish(const std::vector<Pending::Copies>& complete) {
  std::exception_ptr failure;
  for (const Pending::Copies& copies : complete) {
    try {
      Moves moves;
      copies->finish(moves);
      moves.reached(true);
      copies->end();
    } catch (const std::exception&) {
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace typewarp::interpose
