// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/request/waiting.hpp"

#include "transport/request/progress.hpp"

#include <array>
#include <string>
#include <utility>

namespace typewarp::transport {
namespace {

std::string text(int number, int wildcard) { return number == wildcard ? "any" : std::to_string(number); }

/// The error of a wait that took too long, or what kept it from being made.
std::exception_ptr why_given_up(const Operation& operation) noexcept {
  try {
    throw limit_exceeded(operation.peer(), operation.limited_by()->time_limit());
  } catch (...) {
    return std::current_exception();
  }
}

/// Some operations of one Session.
class Handful {
 public:
  void add(Operation& operation) {
    if (count_ == operations_.size() || progress_ != operation.home().get()) move_on();
    progress_ = operation.home().get();
    operations_[count_++] = &operation;
    ++moved_;
  }
  void move_on() {
    if (count_ != 0) progress_->advance(std::span(operations_).first(std::exchange(count_, 0)));
  }
  void move_others_on() {
    move_on();
    if (progress_ != nullptr) progress_->advance_some(moved_);
  }

 private:
  std::array<Operation*, Progress::at_a_time> operations_;
  std::size_t count_ = 0;
  std::size_t moved_ = 0;
  Progress* progress_ = nullptr;
};

}  // namespace

TimeLimitExceeded limit_exceeded(const Peer& peer, std::chrono::milliseconds limit) {
  return {"typewarp: nothing came from or went to rank " + text(peer.rank, MPI_ANY_SOURCE) + " (tag " +
              text(peer.tag, MPI_ANY_TAG) + ") within " + std::to_string(limit.count()) + " ms",
          peer.rank};
}

Waiting::Waiting(std::span<const Request> requests) : requests_(requests), open_(requests) {
  for (const Request& request : requests) {
    if (request.operation_ && request.operation_->home()) progress_ = request.operation_->home();
  }
  steps_ = steps();
}

bool Waiting::round() {
  move_on(open_);
  return !loop_.again() || !exhausted();
}

bool Waiting::bring_all_to_end() {
  if (!progress_) {
    for (const Request& request : requests_) {
      while (!over(request)) request.operation_->advance(true);
    }
    return true;
  }
  while (!all_over()) {
    if (round()) continue;
    for (const Request& request : requests_) {
      if (!over(request)) give_up(request);
    }
    return false;
  }
  return true;
}

void Waiting::move_on(std::span<const Request> requests) {
  Handful handful;
  for (const Request& request : requests) {
    if (over(request)) continue;
    if (request.operation_->home()) {
      handful.add(*request.operation_);
    } else {
      request.operation_->advance(false);
    }
  }
  handful.move_others_on();
}

void Waiting::move_on_alone(std::span<const Request> requests) {
  for (const Request& request : requests) {
    if (!over(request) && !request.operation_->home()) request.operation_->advance(false);
  }
}

std::exception_ptr Waiting::give_up(const Request& request) noexcept {
  Operation& operation = *request.operation_;
  if (!is_limited(request)) {
    while (!operation.over()) operation.advance(true);
    return nullptr;
  }
  std::exception_ptr why = why_given_up(operation);
  if (operation.home()) {
    operation.home()->give_up(operation, why);
  } else {
    operation.give_up(why);
  }
  return why;
}

Status Waiting::finish(Request& request) {
  const std::shared_ptr<Operation> operation = std::move(request.operation_);
  return operation->result();
}

bool Waiting::over(const Request& request) noexcept {
  return !request.operation_ || request.operation_->over();
}

bool Waiting::failed(const Request& request) noexcept { return request.operation_->failed(); }
bool Waiting::is_send(const Request& request) noexcept { return request.operation_->is_send(); }
bool Waiting::is_limited(const Request& request) noexcept {
  return request.operation_->limited_by() != nullptr;
}
std::uint64_t Waiting::steps_of(const Request& request) noexcept {
  return request.operation_ ? request.operation_->steps() + (over(request) ? 1 : 0) : 0;
}

bool Waiting::all_over() noexcept {
  while (!open_.empty() && over(open_.front())) open_ = open_.subspan(1);
  while (!open_.empty() && over(open_.back())) open_ = open_.first(open_.size() - 1);
  return open_.empty();
}

bool Waiting::exhausted() {
  if (!progress_ || progress_->time_limit() == SessionOptions::no_time_limit) return false;
  const Clock::time_point now = Clock::now();
  if (const std::uint64_t seen = steps(); seen != steps_) {
    steps_ = seen;
    since_ = now;
  }
  return now - since_ > progress_->time_limit();
}

std::uint64_t Waiting::steps() const noexcept {
  std::uint64_t sum = 0;
  for (const Request& request : requests_) sum += steps_of(request);
  return sum;
}

}  // namespace typewarp::transport
