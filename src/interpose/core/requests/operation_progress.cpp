// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/requests/operation_progress.hpp"

#include "interpose/core/observe/observed.hpp"
#include "interpose/core/observe/trace.hpp"
#include "interpose/core/requests/results.hpp"
#include "transport/request/progress.hpp"
#include "transport/request/waiting.hpp"
#include "transport/session.hpp"

#include <chrono>
#include <thread>
#include <utility>

namespace typewarp::interpose {
namespace {

using transport::Waiting;
constexpr unsigned rounds_between_rests = 64;

}  // namespace

void OperationProgress::attach(transport::Progress& progress) noexcept {
  progress_ = &progress;
  progress.attend([this] { return round(Waiting::move_on_alone, Lock(moving_mutex_, std::try_to_lock)); });
}

void OperationProgress::launch(MessageOperation& operation, std::vector<Request> messages) noexcept {
  operation.messages = {};
  operation.messages.awaited = operation.messages.under_way = messages.size();
  operation.messages.arriving = std::move(messages);
  operation.active = true;
  if (observing().trace) trace().add_begin(operation.number = ++launched_);
  arriving_.add(operation);
  if (progress_ != nullptr) progress_->nudge();
}

void OperationProgress::cancel(MessageOperation& operation) noexcept {
  operation.messages.cancelled = some_are_cancelled_ = true;
}

void OperationProgress::poll() {
  failed_requests::clear();
  if (operations_.empty()) return;
  operations_.sweep();
  round(Waiting::move_on, Lock(moving_mutex_, std::try_to_lock));
}

void OperationProgress::exhaust(std::span<const MPI_Request> handles) {
  failed_requests::clear();
  if (operations_.empty()) return;
  operations_.sweep();
  // What follows a request of the MPI's is of no session.
  const auto exhaust_all = [](std::span<const Request> requests) {
    if (const auto session = transport::current()) session->progress.exhaust();
    Waiting::move_on_alone(requests);
  };
  round(exhaust_all, Lock(moving_mutex_));
  while (being_told(handles)) std::this_thread::yield();
}

bool OperationProgress::round(MoveOn* move_on, Lock moving) {
  if (!moving.owns_lock()) return true;
  Chain over;
  take_in_arriving();
  if (moving_.empty()) return false;
  move_on(moving_.requests());
  moving_.take_out(operations_.mutex(), over,
                   [this](MessageOperation& operation) { operations_.erase(operation); });
  const bool some_are_left = !moving_.empty();
  moving.unlock();
  tell(over);
  return some_are_left;
}

void OperationProgress::take_in_arriving() {
  bool look = false;
  {
    const Lock lock(operations_.mutex());
    moving_.take_in(arriving_);
    look = std::exchange(some_are_cancelled_, false);
  }
  if (look) moving_.cancel(operations_.mutex());
}

void OperationProgress::tell(Chain& over) noexcept {
  while (MessageOperation* const operation = over.take()) tell(*operation);
}

void OperationProgress::tell(MessageOperation& operation) noexcept {
  if (observing().trace) trace().add_end(operation.number);
  std::shared_ptr<const void> unneeded;
  {
    const Lock lock(operations_.mutex());
    if (operation.messages.under_way == 0) unneeded.swap(operation.kept);
    operation.messages.told = true;
  }
  unneeded.reset();
  if (operation.persistent) {
    tokens_.send(operation.persistent->tag);
  } else {
    PMPI_Grequest_complete(operation.handle);
  }
  const Lock lock(operations_.mutex());
  --operation.telling;
  operations_.erase(operation);
}

bool OperationProgress::complete(std::span<const MPI_Request> handles) const {
  return !operations_.any_of(handles, [](const MessageOperation& operation) {
    return operation.messages.awaited != 0 || operation.telling != 0;
  });
}

bool OperationProgress::being_told(std::span<const MPI_Request> handles) const {
  return operations_.any_of(handles,
                            [](const MessageOperation& operation) { return operation.telling != 0; });
}

void OperationProgress::settle(std::span<const MPI_Request> handles) {
  failed_requests::clear();
  for (unsigned round = 0; !complete(handles); ++round) {
    if (round == 0) begin_wait(handles);
    poll();
    if (round % rounds_between_rests != 0) continue;
    std::this_thread::yield();  // ranks may outnumber processors
    end_late(handles, Late::all, Looks::in_wait);
  }
}

void OperationProgress::begin_wait(std::span<const MPI_Request> handles) noexcept {
  const Lock lock(operations_.mutex());
  for (const MPI_Request handle : handles) {
    if (MessageOperation* const operation = operations_.find(handle)) operation->messages.standstill = {};
  }
}

void OperationProgress::end_late(std::span<const MPI_Request> handles, Late which, Looks looks) {
  const std::chrono::milliseconds limit =
      progress_ != nullptr ? progress_->time_limit() : SessionOptions::no_time_limit;
  if (limit == SessionOptions::no_time_limit) return;
  Chain over;
  {
    const Lock moving(moving_mutex_);
    std::vector<MessageOperation*> waited_for;
    {
      const Lock lock(operations_.mutex());
      for (const MPI_Request handle : handles) {
        MessageOperation* const operation = operations_.find(handle);
        if (operation != nullptr && operation->messages.awaited != 0) waited_for.push_back(operation);
      }
    }
    moving_.end_late({waited_for, which == Late::first, looks == Looks::in_wait}, limit, operations_.mutex(),
                     over);
  }
  tell(over);
}

}  // namespace typewarp::interpose
