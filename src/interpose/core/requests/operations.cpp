// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/requests/operations.hpp"

#include "interpose/core/errors.hpp"
#include "interpose/core/requests/results.hpp"

#include <typewarp/mpi.hpp>

#include <exception>
#include <list>
#include <new>
#include <thread>
#include <utility>

namespace typewarp::interpose {

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
