// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/requests/operations.hpp"

#include "datatype/of_thread.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/statuses.hpp"
#include "interpose/core/observe/trace.hpp"
#include "transport/request/progress.hpp"
#include "transport/request/truncated.hpp"
#include "transport/request/waiting.hpp"
#include "transport/session.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

namespace typewarp::interpose {
namespace {

using transport::Waiting;

/// An error of a request that the MPI asked for in any call of this thread since it last moved ours on.
struct Failed {
  MPI_Request handle;
  MPI_Comm comm;
  std::exception_ptr error;
};
using AllFailed = OfThread<std::vector<Failed>>;

void forget_failed() noexcept {
  if (auto* const failed = AllFailed::found()) failed->clear();
}
constexpr unsigned rounds_between_rests = 64;

}  // namespace

/// What the MPI calls for generalized requests.
struct Operations::Callbacks {
  static int query(void* state, MPI_Status* status) noexcept {
    const Operation& operation = *static_cast<const Operation*>(state);
    fill(status, operation.status);
    if (!operation.error) return MPI_SUCCESS;
    try {
      AllFailed::get().push_back({operation.handle, operation.comm, operation.error});
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

void Operations::open(MPI_Comm self) { mpi::check(PMPI_Comm_dup(self, &self_), "MPI_Comm_dup"); }

void Operations::close(bool (*worth_waiting)(bool something_is_left)) noexcept {
  {
    const Lock lock(mutex_);
    for (Operation& operation : kept_) operation.cancelled = !operation.freed && !operation.left;
    some_are_cancelled_ = true;
  }
  while (worth_waiting(!all_are_over())) {
    poll();
    typewarp::progress();
    std::this_thread::yield();  // ranks may outnumber processors
  }
  sweep();
  progress_ = nullptr;
  PMPI_Comm_free(&self_);
}

bool Operations::all_are_over() const {
  const Lock lock(mutex_);
  return telling_.empty() &&
         std::ranges::all_of(kept_, [](const Operation& operation) { return operation.messages == 0; });
}

MPI_Request Operations::add(MPI_Comm comm, std::vector<Request> messages, std::shared_ptr<const void> kept) {
  sweep();
  std::list<Operation> made;
  Operation& operation = made.emplace_back(comm);
  operation.kept = std::move(kept);
  mpi::check(PMPI_Grequest_start(Callbacks::query, Callbacks::free, Callbacks::cancel, &operation,
                                 &operation.handle),
             "MPI_Grequest_start");
  const Lock lock(mutex_);
  const MPI_Request handle = know(made);
  launch(operation, std::move(messages));
  return handle;
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
  const Lock lock(mutex_);
  return know(made);
}

MPI_Request Operations::know(std::list<Operation>& made) {
  Operation& operation = made.front();
  operation.place = made.begin();
  operations_.insert_or_assign(operation.handle, &operation);
  kept_.splice(kept_.end(), made);
  known_.fetch_add(1, std::memory_order_release);
  return operation.handle;
}

Operation* Operations::find(MPI_Request handle) const {
  const auto found = operations_.find(handle);
  return found == operations_.end() ? nullptr : found->second;
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

std::shared_ptr<Partitions> Operations::partitions_of(MPI_Request handle) const noexcept {
  const Lock lock(mutex_);
  const Operation* const operation = find(handle);
  return operation == nullptr ? nullptr : operation->partitions;
}

void Operations::launch(Operation& operation, std::vector<Request> messages) {
  operation.messages = messages.size();
  operation.status = {};
  operation.error = nullptr;
  operation.active = true;
  operation.cancelled = false;
  operation.told = false;
  if (observing().trace) trace().add_begin(operation.number = ++launched_);
  for (Request& message : messages) {
    arriving_.parts.push_back({&operation, &message == &messages.front()});
    arriving_.requests.push_back(std::move(message));
  }
  if (progress_ != nullptr) progress_->nudge();
}

int Operations::start(MPI_Request handle) noexcept {
  Operation* operation = nullptr;
  bool is_under_way = false;
  {
    const Lock lock(mutex_);
    operation = find(handle);
    // One that is told may have been completed by a call that did not come here.
    is_under_way = operation->active && !operation->told;
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
  operations_.erase(operation.handle);
  operation.freed = true;
  if (!operation.active || operation.told) erase(operation);
}

void Operations::erase(Operation& operation) noexcept { gone_.splice(gone_.end(), kept_, operation.place); }

void Operations::sweep() {
  std::list<Operation> gone;
  const Lock lock(mutex_);
  gone.swap(gone_);
  known_.fetch_sub(gone.size(), std::memory_order_release);
}

void Operations::finish(Request& message, const Part& part, std::vector<Operation*>& over) {
  Operation& operation = *part.of;
  Status status;
  std::exception_ptr error;
  try {
    status = Waiting::finish(message);
  } catch (const transport::Truncated& truncated) {
    status = status_of(truncated);
    error = std::current_exception();
  } catch (...) {
    error = std::current_exception();
  }
  const Lock lock(mutex_);
  if (!operation.error) operation.error = error;
  if (part.first) operation.status = status;
  if (--operation.messages != 0) return;
  over.push_back(&operation);
  telling_.push_back(operation.handle);
}

void Operations::tell(Operation& operation) {
  if (observing().trace) trace().add_end(operation.number);
  const bool has_token = operation.start != nullptr;
  const int tag = operation.tag.value();
  const MPI_Request handle = operation.handle;
  std::shared_ptr<const void> kept;
  {
    const Lock lock(mutex_);
    kept.swap(operation.kept);
    operation.told = true;
    if (operation.freed) erase(operation);
  }
  if (has_token) {
    PMPI_Send(nullptr, 0, MPI_BYTE, 0, tag, self_);
  } else {
    PMPI_Grequest_complete(handle);
  }
  const Lock lock(mutex_);
  telling_.erase(std::ranges::find(telling_, handle));
}

void Operations::poll() {
  forget_failed();
  if (!any()) return;
  sweep();
  round(Waiting::move_on);
}

void Operations::complete_by(transport::Progress& progress) noexcept {
  progress_ = &progress;
  progress.attend([this] { return round(Waiting::move_on_alone); });
}

void Operations::exhaust(std::span<const MPI_Request> handles) {
  forget_failed();
  if (!any()) return;
  sweep();
  // What follows a message of a session is of none itself.
  const auto exhaust_all = [](std::span<const Request> requests) {
    if (const auto session = transport::current()) session->progress.exhaust();
    Waiting::move_on_alone(requests);
  };
  round(exhaust_all, Lock(moving_mutex_));
  while (being_told(handles)) std::this_thread::yield();
}

bool Operations::round(MoveOn* move_on) {
  Lock moving(moving_mutex_, std::try_to_lock);
  return !moving.owns_lock() || round(move_on, std::move(moving));
}

bool Operations::round(MoveOn* move_on, Lock moving) {
  std::vector<Operation*> over;
  take_in_arriving();
  if (moving_.requests.empty()) return false;
  move_on(moving_.requests);
  take_out_finished(over);
  const bool some_are_left = !moving_.requests.empty();
  moving.unlock();
  for (Operation* const operation : over) tell(*operation);
  return some_are_left;
}

void Operations::take_in_arriving() {
  std::vector<std::size_t> cancelled;
  {
    const Lock lock(mutex_);
    std::ranges::move(arriving_.requests, std::back_inserter(moving_.requests));
    std::ranges::move(arriving_.parts, std::back_inserter(moving_.parts));
    arriving_.requests.clear();
    arriving_.parts.clear();
    const bool look = std::exchange(some_are_cancelled_, false);
    for (std::size_t i = 0; look && i < moving_.parts.size(); ++i) {
      if (moving_.parts[i].of->cancelled) cancelled.push_back(i);
    }
  }
  for (const std::size_t i : cancelled) moving_.requests[i].cancel();
}

void Operations::take_out_finished(std::vector<Operation*>& over) {
  auto& [requests, parts] = moving_;
  std::size_t left = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (Waiting::over(requests[i])) {
      finish(requests[i], parts[i], over);
    } else {
      if (left != i) requests[left] = std::move(requests[i]);
      parts[left++] = parts[i];
    }
  }
  requests.resize(left);
  parts.resize(left);
}

bool Operations::complete(std::span<const MPI_Request> handles) const {
  const Lock lock(mutex_);
  return std::ranges::all_of(handles,
                             [this](MPI_Request handle) {
                               const Operation* const operation = find(handle);
                               return operation == nullptr || operation->messages == 0;
                             }) &&
         std::ranges::find_first_of(telling_, handles) == telling_.end();
}

bool Operations::being_told(std::span<const MPI_Request> handles) const {
  const Lock lock(mutex_);
  return std::ranges::find_first_of(telling_, handles) != telling_.end();
}

void Operations::settle(std::span<const MPI_Request> handles) {
  forget_failed();
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
  std::vector<Failed>* const failed = AllFailed::found();
  if (failed == nullptr) return MPI_SUCCESS;
  const auto found = std::ranges::find(*failed, handle, &Failed::handle);
  if (found == failed->end()) return MPI_SUCCESS;
  const Failed error = *found;
  failed->erase(found);
  return raise(error.comm, error.error);
}

}  // namespace typewarp::interpose
