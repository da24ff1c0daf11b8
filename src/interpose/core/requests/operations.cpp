// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/requests/operations.hpp"

#include "interpose/core/errors.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/results.hpp"
#include "interpose/core/observe/trace.hpp"
#include "transport/request/progress.hpp"
#include "transport/request/waiting.hpp"
#include "transport/session.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <thread>
#include <utility>

namespace typewarp::interpose {
namespace {

using transport::Waiting;
constexpr unsigned rounds_between_rests = 64;

}  // namespace

/// What the MPI calls for generalized requests.
struct Operations::Callbacks {
  static int query(void* state, MPI_Status* status) noexcept {
    const Operation& operation = *static_cast<const Operation*>(state);
    fill(status, operation.status);
    if (!operation.error) return MPI_SUCCESS;
    try {
      failed_requests::add(operation.handle, operation.comm, operation.error);
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
  static NeverDestroyed<Operations> instance;
  return instance.get();
}

void Operations::open(MPI_Comm self) { mpi::check(PMPI_Comm_dup(self, &self_), "MPI_Comm_dup"); }

void Operations::close(bool (*worth_waiting)(bool something_is_left)) noexcept {
  {
    const Lock lock(mutex_);
    for (Operation& operation : kept_) operation.cancelled = !operation.freed && !operation.left;
    some_are_cancelled_ = true;
  }
  while (worth_waiting(!all_are_over())) {
    try {
      poll();
      typewarp::progress();
    } catch (const std::exception&) {
      continue;  // the next round does it
    }
    std::this_thread::yield();  // ranks may outnumber processors
  }
  sweep();
  progress_ = nullptr;
  PMPI_Comm_free(&self_);
}

bool Operations::all_are_over() const {
  const Lock lock(mutex_);
  return std::ranges::all_of(
      kept_, [](const Operation& operation) { return operation.under_way == 0 && operation.telling == 0; });
}

MPI_Request Operations::add(MPI_Comm comm, std::vector<Request> messages, std::shared_ptr<const void> kept) {
  Operation& operation = prepare(comm);
  operation.kept = std::move(kept);
  return begin(operation, std::move(messages));
}

Operation& Operations::prepare(MPI_Comm comm) {
  sweep();
  std::list<Operation> made;
  Operation& operation = made.emplace_back(comm);
  mpi::check(PMPI_Grequest_start(Callbacks::query, Callbacks::free, Callbacks::cancel, &operation,
                                 &operation.handle),
             "MPI_Grequest_start");
  try {
    const Lock lock(mutex_);
    know(made);
  } catch (...) {
    forget(operation);
    throw;
  }
  return operation;
}

MPI_Request Operations::begin(Operation& operation, std::vector<Request> messages) noexcept {
  const Lock lock(mutex_);
  launch(operation, std::move(messages));
  return operation.handle;
}

void Operations::forget(Operation& operation) noexcept {
  MPI_Request unused = operation.handle;
  operation.told = true;
  PMPI_Grequest_complete(unused);
  PMPI_Request_free(&unused);  // which calls back
}

MPI_Request Operations::add_persistent(MPI_Comm comm, Operation::Start start,
                                       std::shared_ptr<Partitions> partitions) {
  sweep();
  std::list<Operation> made;
  Operation& operation = made.emplace_back(comm);
  operation.start = std::move(start);
  operation.partitions = std::move(partitions);
  operation.active = false;
  operation.tag = token_tags_.take();
  mpi::check(PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, operation.tag.value(), self_, &operation.handle),
             "MPI_Recv_init");
  try {
    const Lock lock(mutex_);
    know(made);
    return operation.handle;
  } catch (...) {
    PMPI_Request_free(&operation.handle);
    throw;
  }
}

void Operations::know(std::list<Operation>& made) {
  Operation& operation = made.front();
  operations_.insert_or_assign(operation.handle, &operation);
  operation.place = made.begin();
  kept_.splice(kept_.end(), made);
  known_.fetch_add(1, std::memory_order_release);
}

Operation* Operations::find(MPI_Request handle) const {
  const auto found = operations_.find(handle);
  return found == operations_.end() ? nullptr : found->second;
}

template <class Is>
bool Operations::any_of_ours(std::span<const MPI_Request> handles, Is is) const {
  const Lock lock(mutex_);
  return std::ranges::any_of(handles, [&](MPI_Request handle) {
    const Operation* const operation = find(handle);
    return operation != nullptr && is(*operation);
  });
}

bool Operations::is_ours(MPI_Request handle) const {
  return any_of_ours({&handle, 1}, [](const Operation&) { return true; });
}

bool Operations::is_persistent(MPI_Request handle) const {
  return any_of_ours({&handle, 1}, [](const Operation& one) { return one.start != nullptr; });
}

std::shared_ptr<Partitions> Operations::partitions_of(MPI_Request handle) const noexcept {
  const Lock lock(mutex_);
  const Operation* const operation = find(handle);
  return operation == nullptr ? nullptr : operation->partitions;
}

void Operations::launch(Operation& operation, std::vector<Request> messages) noexcept {
  operation.messages = operation.under_way = messages.size();
  operation.started = std::move(messages);
  operation.status = {};
  operation.error = nullptr;
  operation.standstill = {};
  operation.active = true;
  operation.cancelled = false;
  operation.told = false;
  if (observing().trace) trace().add_begin(operation.number = ++launched_);
  arriving_.add(operation);
  if (progress_ != nullptr) progress_->nudge();
}

int Operations::start(MPI_Request handle) noexcept {
  Operation* operation = nullptr;
  bool is_under_way = false;
  {
    const Lock lock(mutex_);
    operation = find(handle);
    // One that is told may have been completed by a call that did not come here.
    is_under_way = (operation->active && !operation->told) || operation->under_way != 0;
  }
  if (is_under_way) return raise(operation->comm, MPI_ERR_REQUEST);
  return guarded(operation->comm, [&] {
    std::vector<Request> messages = operation->start();
    mpi::check(PMPI_Start(&handle), "MPI_Start");
    const Lock lock(mutex_);
    launch(*operation, std::move(messages));
  });
}

void Operations::cancel(MPI_Request handle) {
  const Lock lock(mutex_);
  if (Operation* const operation = find(handle)) operation->cancelled = some_are_cancelled_ = true;
}

// Before the MPI frees it, since it may then give the handle to another request at once.
void Operations::free(MPI_Request handle) {
  {
    const Lock lock(mutex_);
    part_from_handle(*find(handle));
  }
  sweep();
  PMPI_Request_free(&handle);
}

void Operations::leave(MPI_Request handle) noexcept {
  const Lock lock(mutex_);
  if (Operation* const operation = find(handle)) operation->left = true;
}

// MPICH 4.0 calls back as soon as the program frees the request, and not when it is also over.
void Operations::let_go(Operation& operation) noexcept {
  const Lock lock(mutex_);
  part_from_handle(operation);
}

void Operations::part_from_handle(Operation& operation) noexcept {
  operation.freed = true;
  if (operations_.erase(operation.handle) != 0) erase(operation);
}

void Operations::erase(Operation& operation) noexcept {
  const bool is_over = operation.under_way == 0 && operation.telling == 0;
  if (operation.freed && is_over && (!operation.active || operation.told))
    gone_.splice(gone_.end(), kept_, operation.place);
}

void Operations::sweep() {
  std::list<Operation> gone;
  const Lock lock(mutex_);
  gone.swap(gone_);
  known_.fetch_sub(gone.size(), std::memory_order_release);
}

void Operations::tell(Chain& over) noexcept {
  while (Operation* const operation = over.take()) tell(*operation);
}

void Operations::tell(Operation& operation) noexcept {
  if (observing().trace) trace().add_end(operation.number);
  const bool has_token = operation.start != nullptr;
  std::shared_ptr<const void> unneeded;
  {
    const Lock lock(mutex_);
    if (operation.under_way == 0) unneeded.swap(operation.kept);
    operation.told = true;
  }
  unneeded.reset();
  if (has_token) {
    PMPI_Send(nullptr, 0, MPI_BYTE, 0, operation.tag.value(), self_);
  } else {
    PMPI_Grequest_complete(operation.handle);
  }
  const Lock lock(mutex_);
  --operation.telling;
  erase(operation);
}

void Operations::poll() {
  failed_requests::clear();
  if (!any()) return;
  sweep();
  round(Waiting::move_on, Lock(moving_mutex_, std::try_to_lock));
}

void Operations::complete_by(transport::Progress& progress) noexcept {
  progress_ = &progress;
  progress.attend([this] { return round(Waiting::move_on_alone, Lock(moving_mutex_, std::try_to_lock)); });
}

void Operations::exhaust(std::span<const MPI_Request> handles) {
  failed_requests::clear();
  if (!any()) return;
  sweep();
  // What follows a request of the MPI's is of no session.
  const auto exhaust_all = [](std::span<const Request> requests) {
    if (const auto session = transport::current()) session->progress.exhaust();
    Waiting::move_on_alone(requests);
  };
  round(exhaust_all, Lock(moving_mutex_));
  while (being_told(handles)) std::this_thread::yield();
}

bool Operations::round(MoveOn* move_on, Lock moving) {
  if (!moving.owns_lock()) return true;
  Chain over;
  take_in_arriving();
  if (moving_.empty()) return false;
  move_on(moving_.requests());
  take_out_finished(over);
  const bool some_are_left = !moving_.empty();
  moving.unlock();
  tell(over);
  return some_are_left;
}

void Operations::take_in_arriving() {
  bool look = false;
  {
    const Lock lock(mutex_);
    moving_.take_in(arriving_);
    look = std::exchange(some_are_cancelled_, false);
  }
  if (look) moving_.cancel(mutex_);
}

void Operations::take_out_finished(Chain& over) noexcept {
  moving_.take_out(mutex_, over, [this](Operation& operation) { erase(operation); });
}

bool Operations::complete(std::span<const MPI_Request> handles) const {
  return !any_of_ours(handles, [](const Operation& one) { return one.messages != 0 || one.telling != 0; });
}

bool Operations::being_told(std::span<const MPI_Request> handles) const {
  return any_of_ours(handles, [](const Operation& one) { return one.telling != 0; });
}

void Operations::settle(std::span<const MPI_Request> handles) {
  failed_requests::clear();
  for (unsigned round = 0; !complete(handles); ++round) {
    if (round == 0) begin_wait(handles);
    poll();
    if (round % rounds_between_rests != 0) continue;
    std::this_thread::yield();  // ranks may outnumber processors
    end_late(handles, Late::all, Looks::in_wait);
  }
}

void Operations::begin_wait(std::span<const MPI_Request> handles) noexcept {
  const Lock lock(mutex_);
  for (const MPI_Request handle : handles) {
    if (Operation* const operation = find(handle)) operation->standstill = {};
  }
}

void Operations::end_late(std::span<const MPI_Request> handles, Late which, Looks looks) {
  const std::chrono::milliseconds limit =
      progress_ != nullptr ? progress_->time_limit() : SessionOptions::no_time_limit;
  if (limit == SessionOptions::no_time_limit) return;
  Chain over;
  {
    const Lock moving(moving_mutex_);
    std::vector<Operation*> waited_for;
    {
      const Lock lock(mutex_);
      for (const MPI_Request handle : handles) {
        Operation* const operation = find(handle);
        if (operation != nullptr && operation->messages != 0) waited_for.push_back(operation);
      }
    }
    moving_.end_late({waited_for, which == Late::first, looks == Looks::in_wait}, limit, mutex_, over);
  }
  tell(over);
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

}  // namespace typewarp::interpose
