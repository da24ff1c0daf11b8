// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/operations.hpp"

#include "interpose/core/errors.hpp"
#include "interpose/core/observed.hpp"
#include "interpose/core/statuses.hpp"
#include "interpose/core/trace.hpp"
#include "transport/waiting.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <thread>
#include <utility>

namespace typewarp::interpose {
namespace {

using transport::Waiting;

/// Errors of requests that the MPI has completed in this thread's call.
struct Failed {
  MPI_Request handle;
  MPI_Comm comm;
  std::exception_ptr error;
};
thread_local std::vector<Failed> failed;

constexpr unsigned rounds_between_rests = 64;

}  // namespace

/// What the MPI calls for generalized requests.
struct Operations::Callbacks {
  static int query(void* state, MPI_Status* status) noexcept {
    const Operation& operation = *static_cast<const Operation*>(state);
    fill(status, operation.status);
    if (!operation.error) return MPI_SUCCESS;
    try {
      failed.push_back({operation.handle, operation.comm, operation.error});
    } catch (const std::bad_alloc&) {
      return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
  }
  static int free(void* state) noexcept {
    operations().let_go(*static_cast<Operation*>(state));
    return MPI_SUCCESS;
  }
  static int cancel(void* state, int complete) noexcept {
    if (complete == 0) operations().cancel(static_cast<const Operation*>(state)->handle);
    return MPI_SUCCESS;
  }
};

Operations& operations() {
  // Never destroyed: the MPI may call back until the process ends.
  static Operations& instance = *new Operations;
  return instance;
}

void Operations::open() { mpi::check(PMPI_Comm_dup(MPI_COMM_SELF, &self_), "MPI_Comm_dup"); }

void Operations::close() noexcept {
  {
    const Lock lock(mutex_);
    for (Request& message : messages_) message.cancel();
  }
  const auto under_way = [this] {
    const Lock lock(mutex_);
    return !messages_.empty();
  };
  while (under_way()) poll();
  PMPI_Comm_free(&self_);
}

MPI_Request Operations::add(MPI_Comm comm, std::vector<Request> messages, std::shared_ptr<const void> kept) {
  auto made = std::make_unique<Operation>(comm);
  made->kept = std::move(kept);
  Operation& operation = *made;
  mpi::check(PMPI_Grequest_start(Callbacks::query, Callbacks::free, Callbacks::cancel, &operation,
                                 &operation.handle),
             "MPI_Grequest_start");
  const Lock lock(mutex_);
  operations_.emplace(operation.handle, std::move(made));
  known_.store(operations_.size(), std::memory_order_release);
  launch(operation, std::move(messages));
  return operation.handle;
}

MPI_Request Operations::add_persistent(MPI_Comm comm, Operation::Start start) {
  auto made = std::make_unique<Operation>(comm);
  made->start = std::move(start);
  made->active = false;
  const Lock lock(mutex_);
  if (free_tags_.empty()) free_tags_.push_back(tags_++);
  made->tag = free_tags_.back();
  mpi::check(PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, made->tag, self_, &made->handle), "MPI_Recv_init");
  free_tags_.pop_back();
  const MPI_Request handle = made->handle;
  operations_.emplace(handle, std::move(made));
  known_.store(operations_.size(), std::memory_order_release);
  return handle;
}

Operation* Operations::find(MPI_Request handle) const {
  const auto found = operations_.find(handle);
  return found == operations_.end() ? nullptr : found->second.get();
}

bool Operations::is_ours(MPI_Request handle) const {
  const Lock lock(mutex_);
  return find(handle) != nullptr;
}

bool Operations::is_persistent(MPI_Request handle) const {
  const Lock lock(mutex_);
  const Operation* const operation = find(handle);
  return operation != nullptr && operation->start;
}

void Operations::launch(Operation& operation, std::vector<Request> messages) {
  operation.messages = messages.size();
  operation.status = {};
  operation.error = nullptr;
  if (observing().trace) trace().add_begin(operation.number = ++launched_);
  for (Request& message : messages) {
    parts_.push_back({&operation, &message == &messages.front()});
    messages_.push_back(std::move(message));
  }
}

int Operations::start(MPI_Request handle) noexcept {
  Operation* operation = nullptr;
  {
    const Lock lock(mutex_);
    operation = find(handle);
  }
  if (operation->active) return raise(operation->comm, MPI_ERR_REQUEST);
  return guarded(operation->comm, [&] {
    std::vector<Request> messages = operation->start();
    mpi::check(PMPI_Start(&handle), "MPI_Start");
    const Lock lock(mutex_);
    operation->active = true;
    operation->told = false;
    launch(*operation, std::move(messages));
  });
}

void Operations::cancel(MPI_Request handle) {
  const Lock lock(mutex_);
  const Operation* const operation = find(handle);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].of == operation) messages_[i].cancel();
  }
}

void Operations::free(MPI_Request handle) {
  bool over = false;
  Operation* operation = nullptr;
  {
    const Lock lock(mutex_);
    operation = find(handle);
    operation->freed = true;
    over = !operation->active || operation->told;
  }
  PMPI_Request_free(&handle);
  if (over) erase(*operation);
}

void Operations::erase(Operation& operation) {
  const Lock lock(mutex_);
  if (operation.start) free_tags_.push_back(operation.tag);
  operations_.erase(operation.handle);
  known_.store(operations_.size(), std::memory_order_release);
}

// MPICH 4.0 calls back as soon as the program frees the request, and not when it is also over.
void Operations::let_go(Operation& operation) {
  {
    const Lock lock(mutex_);
    operation.freed = !operation.told;
    if (operation.freed) return;
  }
  erase(operation);
}

void Operations::finish(Request& message, const Part& part, std::vector<Operation*>& over) {
  try {
    const Status status = Waiting::finish(message);
    if (part.first) part.of->status = status;
  } catch (...) {
    if (!part.of->error) part.of->error = std::current_exception();
  }
  if (--part.of->messages == 0) over.push_back(part.of);
}

// Without the lock: the MPI may free a generalized request here, and calls back.
void Operations::tell(Operation& operation) {
  if (observing().trace) trace().add_end(operation.number);
  Lock lock(mutex_);
  const bool freed = operation.freed;
  const bool has_token = operation.start != nullptr;
  const int tag = operation.tag;
  const MPI_Request handle = operation.handle;
  operation.told = true;  // from now on whoever frees it erases it
  lock.unlock();
  if (has_token) {
    PMPI_Send(nullptr, 0, MPI_BYTE, 0, tag, self_);
  } else {
    PMPI_Grequest_complete(handle);
  }
  if (freed) erase(operation);
}

void Operations::poll() {
  if (!any()) return;
  std::vector<Operation*> over;
  {
    const Lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || messages_.empty()) return;
    Waiting::move_on(messages_);
    std::size_t left = 0;
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (Waiting::over(messages_[i])) {
        finish(messages_[i], parts_[i], over);
      } else {
        if (left != i) messages_[left] = std::move(messages_[i]);
        parts_[left++] = parts_[i];
      }
    }
    messages_.resize(left);
    parts_.resize(left);
  }
  for (Operation* const operation : over) tell(*operation);
}

bool Operations::complete(std::span<const MPI_Request> handles) const {
  const Lock lock(mutex_);
  return std::ranges::all_of(handles, [this](MPI_Request handle) {
    const Operation* const operation = find(handle);
    return operation == nullptr || operation->messages == 0;
  });
}

void Operations::settle(std::span<const MPI_Request> handles) {
  for (unsigned round = 1; !complete(handles); ++round) {
    poll();
    if (round % rounds_between_rests == 0) std::this_thread::yield();  // ranks may outnumber processors
  }
}

std::optional<Status> Operations::look(MPI_Request handle) const {
  const Lock lock(mutex_);
  const Operation* const operation = find(handle);
  const bool tells = operation != nullptr && operation->start && operation->active;
  return tells ? std::optional(operation->status) : std::nullopt;
}

std::optional<Operations::Result> Operations::conclude(MPI_Request handle) {
  MPI_Comm comm = MPI_COMM_NULL;
  std::exception_ptr error;
  Result result{{}, MPI_SUCCESS};
  {
    const Lock lock(mutex_);
    Operation* const operation = find(handle);
    if (operation == nullptr || !operation->start || !operation->active) return std::nullopt;
    operation->active = false;
    comm = operation->comm;
    error = operation->error;
    result.status = operation->status;
  }
  if (error) result.code = raise(comm, error);
  return result;
}

int Operations::take_error(MPI_Request handle) noexcept {
  const auto found = std::ranges::find(failed, handle, &Failed::handle);
  if (found == failed.end()) return MPI_SUCCESS;
  const Failed error = *found;
  failed.erase(found);
  return raise(error.comm, error.error);
}

}  // namespace typewarp::interpose
