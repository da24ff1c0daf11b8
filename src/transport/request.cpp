// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/core.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <utility>

namespace typewarp {
namespace {

using transport::Core;
using transport::Operation;

std::string text(int number, int wildcard) { return number == wildcard ? "any" : std::to_string(number); }

/// Moves operations on until one is over, or until that one has made no step for as long as the options of
/// its Transport allow.
class Patience {
 public:
  explicit Patience(Operation& operation) : operation_(operation), steps_(operation.steps()) {}

  /// Whether the wait may go on.
  bool round() {
    Core& core = *operation_.home();
    core.progress.advance(operation_);
    if (operation_.over()) return true;
    core.progress.advance_some();
    if (++rounds_ % rounds_between_looks != 0) return true;
    // Ranks may outnumber processors.
    std::this_thread::yield();
    return !exhausted(core.options().time_limit);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int rounds_between_looks = 64;

  bool exhausted(std::chrono::milliseconds limit) {
    if (limit == TransportOptions::no_time_limit) return false;
    const Clock::time_point now = Clock::now();
    if (operation_.steps() != steps_) {
      steps_ = operation_.steps();
      since_ = now;
    }
    return now - since_ > limit;
  }

  Operation& operation_;
  std::uint64_t steps_;
  Clock::time_point since_ = Clock::now();
  int rounds_ = 0;
};

/// False if patience ended first.
bool bring_to_end(Operation& operation) {
  if (!operation.home()) {
    while (!operation.over()) operation.advance(true);
    return true;
  }
  Patience patience(operation);
  while (!operation.over()) {
    if (!patience.round()) {
      operation.home()->progress.give_up(operation);
      return operation.over();
    }
  }
  return true;
}

[[noreturn]] void refuse_to_wait(const Operation& operation) {
  const transport::Peer& peer = operation.peer();
  throw TimeLimitExceeded("typewarp: nothing came from or went to rank " + text(peer.rank, MPI_ANY_SOURCE) +
                              " (tag " + text(peer.tag, MPI_ANY_TAG) + ") within " +
                              std::to_string(operation.home()->options().time_limit.count()) + " ms",
                          peer.rank);
}

void abandon(Operation& operation) noexcept {
  try {
    if (operation.home()) {
      operation.home()->progress.cancel(operation);
    } else {
      int finalized = 0;
      MPI_Finalized(&finalized);
      if (finalized != 0) return;
      operation.cancel();
    }
    bring_to_end(operation);
  } catch (const std::exception&) {
    // A destructor has nobody to tell.
  }
}

}  // namespace

Request::Request() noexcept = default;
Request::Request(std::shared_ptr<Operation> operation) noexcept : operation_(std::move(operation)) {}
Request::Request(std::shared_ptr<const Message> message) noexcept : message_(std::move(message)) {}
Request::Request(Request&&) noexcept = default;

Request& Request::operator=(Request&& other) noexcept {
  if (this == &other) return *this;
  if (operation_) abandon(*operation_);
  operation_ = std::move(other.operation_);
  message_ = std::move(other.message_);
  return *this;
}

Request::~Request() {
  if (operation_) abandon(*operation_);
}

Status Request::wait() {
  if (!operation_) return {};
  const std::shared_ptr<Operation> operation = std::move(operation_);
  if (!bring_to_end(*operation)) refuse_to_wait(*operation);
  return operation->result();
}

bool Request::ready() {
  if (!operation_ || operation_->over()) return true;
  if (operation_->home()) {
    operation_->home()->progress.advance(*operation_);
    operation_->home()->progress.advance_some();
  } else {
    operation_->advance(false);
  }
  return operation_->over();
}

std::optional<Status> Request::test() {
  if (!operation_) return Status{};
  if (!ready()) return std::nullopt;
  const std::shared_ptr<Operation> operation = std::move(operation_);
  return operation->result();
}

void Request::cancel() {
  if (!operation_) return;
  if (operation_->home()) {
    operation_->home()->progress.cancel(*operation_);
  } else {
    operation_->cancel();
  }
}

}  // namespace typewarp
