// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/waiting.hpp"

#include "transport/core.hpp"

#include <algorithm>
#include <string>
#include <thread>

namespace typewarp::transport {
namespace {

std::string text(int number, int wildcard) { return number == wildcard ? "any" : std::to_string(number); }

TimeLimitExceeded limit_exceeded(const Operation& operation) {
  const Peer& peer = operation.peer();
  return {"typewarp: nothing came from or went to rank " + text(peer.rank, MPI_ANY_SOURCE) + " (tag " +
              text(peer.tag, MPI_ANY_TAG) + ") within " +
              std::to_string(operation.home()->options().time_limit.count()) + " ms",
          peer.rank};
}

void move_on_alone(Operation& operation) {
  if (operation.home()) {
    operation.home()->progress.advance(operation);
  } else if (!operation.over()) {
    operation.advance(false);
  }
}

}  // namespace

Waiting::Waiting(std::span<const Request> requests) : requests_(requests) {
  for (const Request& request : requests) {
    if (request.operation_ && request.operation_->home()) core_ = request.operation_->home();
  }
  steps_ = steps();
}

bool Waiting::round() {
  move_on(requests_);
  if (++rounds_ % rounds_between_looks != 0) return true;
  std::this_thread::yield();  // ranks may outnumber processors
  return !exhausted();
}

bool Waiting::bring_all_to_end() {
  if (!core_) {
    for (const Request& request : requests_) {
      while (!over(request)) request.operation_->advance(true);
    }
    return true;
  }
  while (!std::ranges::all_of(requests_, over)) {
    if (round()) continue;
    for (const Request& request : requests_) {
      if (!over(request)) give_up(request);
    }
    return false;
  }
  return true;
}

void Waiting::move_on(std::span<const Request> requests) {
  Core* core = nullptr;
  for (const Request& request : requests) {
    if (over(request)) continue;
    move_on_alone(*request.operation_);
    core = request.operation_->home().get();
  }
  if (core != nullptr) core->progress.advance_some();
}

void Waiting::give_up(const Request& request) {
  Operation& operation = *request.operation_;
  if (operation.home()) {
    operation.home()->progress.give_up(operation, std::make_exception_ptr(limit_exceeded(operation)));
  } else {
    while (!operation.over()) operation.advance(true);
  }
}

Status Waiting::finish(Request& request) {
  const std::shared_ptr<Operation> operation = std::move(request.operation_);
  return operation->result();
}

bool Waiting::over(const Request& request) noexcept {
  return !request.operation_ || request.operation_->over();
}

bool Waiting::failed(const Request& request) noexcept { return request.operation_->failed(); }

bool Waiting::exhausted() {
  if (!core_ || core_->options().time_limit == TransportOptions::no_time_limit) return false;
  const Clock::time_point now = Clock::now();
  if (const std::uint64_t seen = steps(); seen != steps_) {
    steps_ = seen;
    since_ = now;
  }
  return now - since_ > core_->options().time_limit;
}

std::uint64_t Waiting::steps() const noexcept {
  std::uint64_t sum = 0;
  for (const Request& request : requests_) {
    if (request.operation_) sum += request.operation_->steps() + (request.operation_->over() ? 1 : 0);
  }
  return sum;
}

}  // namespace typewarp::transport
