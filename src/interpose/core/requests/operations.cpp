// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/requests/operations.hpp"

#include "interpose/core/errors.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/observe/trace.hpp"
#include "interpose/core/requests/results.hpp"
#include "transport/request/progress.hpp"
#include "transport/request/waiting.hpp"
#include "transport/session.hpp"

#include <typewarp/mpi.hpp>

#include <chrono>
#include <exception>
#include <list>
#include <new>
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

/// What the MPI calls for generalized requests.
struct Operations::Callbacks {
  static int query(void* state, MPI_Status* status) noexcept {
    const MessageOperation& operation = *static_cast<const MessageOperation*>(state);
    fill(status, operation.messages.status);
    if (!operation.messages.error) return MPI_SUCCESS;
    try {
      failed_requests::add(operation.handle, operation.comm, operation.messages.error);
    } catch (const std::bad_alloc&) {
      return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
  }
  /// MPICH 4.0 calls this as soon as the program frees the request, and not when it is also over.
  static int free(void* state) noexcept {
    OperationTable& all = operations().operations_;
    const Lock lock(all.mutex());
    all.part_from_handle(*static_cast<MessageOperation*>(state));
    return MPI_SUCCESS;
  }
  static int cancel(void* state, int complete) noexcept {
    if (complete == 0) operations().cancel(static_cast<const MessageOperation*>(state)->handle);
    return MPI_SUCCESS;
  }
};

Operations& operations() {
  // Never destroyed: the MPI may call back until the process ends.
  static NeverDestroyed<Operations> instance;
  return instance.get();
}

void Operations::close(FunctionRef<bool(bool something_is_left)> worth_waiting) noexcept {
  {
    const Lock lock(operations_.mutex());
    operations_.for_each([this](MessageOperation& operation) {
      if (!operation.freed && !operation.left) progress_.cancel(operation);
    });
  }
  while (worth_waiting(!operations_.all_are_over())) {
    try {
      progress_.poll();
      typewarp::progress();
    } catch (const std::exception&) {
      continue;  // the next round does it
    }
    std::this_thread::yield();  // ranks may outnumber processors
  }
  operations_.sweep();
  progress_.detach();
  tokens_.close();
}

MPI_Request Operations::add(MPI_Comm comm, std::vector<Request> messages, std::shared_ptr<const void> kept) {
  MessageOperation& operation = prepare(comm);
  operation.kept = std::move(kept);
  return begin(operation, std::move(messages));
}

MessageOperation& Operations::prepare(MPI_Comm comm) {
  operations_.sweep();
  return *transport::insist([&] {
    std::list<MessageOperation> made;
    MessageOperation& operation = made.emplace_back(comm);
    mpi::check(PMPI_Grequest_start(Callbacks::query, Callbacks::free, Callbacks::cancel, &operation,
                                   &operation.handle),
               "MPI_Grequest_start");
    try {
      const Lock lock(operations_.mutex());
      operations_.add(made);
    } catch (...) {
      forget(operation);
      throw;
    }
    return &operation;
  });
}

MPI_Request Operations::begin(MessageOperation& operation, std::vector<Request> messages) noexcept {
  const Lock lock(operations_.mutex());
  progress_.launch(operation, std::move(messages));
  return operation.handle;
}

void Operations::forget(MessageOperation& operation) noexcept {
  MPI_Request unused = operation.handle;
  operation.messages.told = true;
  PMPI_Grequest_complete(unused);
  PMPI_Request_free(&unused);  // which calls back
}

MPI_Request Operations::make_persistent(MPI_Comm comm, PersistentStart::Function start,
                                        std::shared_ptr<Partitions> partitions) {
  std::list<MessageOperation> made;
  MessageOperation& operation = made.emplace_back(comm);
  operation.persistent = {std::move(start), std::move(partitions), tokens_.take_tag()};
  operation.active = false;
  operation.handle = tokens_.receive(operation.persistent->tag);
  try {
    const Lock lock(operations_.mutex());
    operations_.add(made);
    return operation.handle;
  } catch (...) {
    PMPI_Request_free(&operation.handle);
    throw;
  }
}

bool Operations::is_ours(MPI_Request handle) const {
  return operations_.any_of({&handle, 1}, [](const MessageOperation&) { return true; });
}

bool Operations::is_persistent(MPI_Request handle) const {
  return operations_.any_of(
      {&handle, 1}, [](const MessageOperation& operation) { return operation.persistent.has_value(); });
}

std::shared_ptr<Partitions> Operations::partitions_of(MPI_Request handle) const noexcept {
  const Lock lock(operations_.mutex());
  const MessageOperation* const operation = operations_.find(handle);
  return operation == nullptr || !operation->persistent ? nullptr : operation->persistent->partitions;
}

int Operations::start(MPI_Request handle) noexcept {
  MessageOperation* operation = nullptr;
  bool is_under_way = false;
  {
    const Lock lock(operations_.mutex());
    operation = operations_.find(handle);
    // One that is told may have been completed by a call that did not come here.
    is_under_way = (operation->active && !operation->messages.told) || operation->messages.under_way != 0;
  }
  if (is_under_way) return raise(operation->comm, MPI_ERR_REQUEST);
  return guarded(operation->comm, [&] {
    std::vector<Request> messages = operation->persistent->start();
    mpi::check(PMPI_Start(&handle), "MPI_Start");
    const Lock lock(operations_.mutex());
    progress_.launch(*operation, std::move(messages));
  });
}

void Operations::cancel(MPI_Request handle) {
  const Lock lock(operations_.mutex());
  if (MessageOperation* const operation = operations_.find(handle)) progress_.cancel(*operation);
}

// Before the MPI frees it, since it may then give the handle to another request at once.
void Operations::free(MPI_Request handle) {
  {
    const Lock lock(operations_.mutex());
    MessageOperation& operation = *operations_.find(handle);
    if (operation.persistent) {
      operations_.part_from_handle(operation);
    } else {
      operation.left = true;
    }
  }
  operations_.sweep();
  PMPI_Request_free(&handle);
}

void Operations::leave(MPI_Request handle) noexcept {
  const Lock lock(operations_.mutex());
  if (MessageOperation* const operation = operations_.find(handle)) operation->left = true;
}

std::optional<Status> Operations::look(MPI_Request handle) const {
  const Lock lock(operations_.mutex());
  const MessageOperation* const operation = operations_.find(handle);
  const bool tells = operation != nullptr && operation->persistent && operation->active;
  return tells ? std::optional(operation->messages.status) : std::nullopt;
}

std::optional<Operations::Result> Operations::conclude(MPI_Request handle) {
  MPI_Comm comm = MPI_COMM_NULL;
  std::exception_ptr error;
  Result result{{}, MPI_SUCCESS};
  {
    const Lock lock(operations_.mutex());
    MessageOperation* const operation = operations_.find(handle);
    if (operation == nullptr || !operation->persistent || !operation->active) return std::nullopt;
    operation->active = false;
    comm = operation->comm;
    error = operation->messages.error;
    result.status = operation->messages.status;
  }
  if (error) result.code = raise(comm, error);
  return result;
}

}  // namespace typewarp::interpose
