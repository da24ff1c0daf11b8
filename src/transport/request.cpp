// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/request.hpp"

#include "transport/message.hpp"

#include <typewarp/mpi.hpp>

#include <utility>

namespace typewarp {
namespace {

bool reached(const std::optional<cuda::Event>& event, bool block) {
  if (!event) return true;
  if (!block) return event->done();
  event->wait();
  return true;
}

}  // namespace

bool Request::Operation::advance(bool block) {
  if (state_ == State::moving) {
    if (!finish_message(block)) return false;
    state_ = State::ordering;
  }
  if (state_ == State::ordering) {
    if (!reached(turn, block)) return false;
    start_unpack();
    state_ = State::unpacking;
  }
  if (state_ == State::unpacking) {
    if (!reached(unpacked, block)) return false;
    state_ = State::complete;
  }
  return true;
}

bool Request::Operation::finish_message(bool block) {
  MPI_Status raw{};
  int done = 1;
  const int code = block ? MPI_Wait(&handle, &raw) : MPI_Test(&handle, &done, &raw);
  if (code != MPI_SUCCESS) {
    // Some MPIs free a request that failed, others leave that to the caller.
    if (handle != MPI_REQUEST_NULL) MPI_Request_free(&handle);
    mpi::check(code, block ? "MPI_Wait" : "MPI_Test");
  }
  if (done == 0) return false;
  if (direction == Direction::send) return true;
  int cancelled = 0;
  if (cancelling_) mpi::check(MPI_Test_cancelled(&raw, &cancelled), "MPI_Test_cancelled");
  if (cancelled == 0) status = {raw.MPI_SOURCE, raw.MPI_TAG, transport::received_bytes(raw)};
  return true;
}

// Exactly the bytes that came, however many were asked for.
void Request::Operation::start_unpack() {
  if (direction == Direction::send || staging.data() == nullptr || status.bytes == 0) return;
  unpack(staging.data(), buffer, count, plan, ByteRange{0, status.bytes}, stream);
  if (route.kind == transport::Route::Kind::device) unpacked.emplace(device, stream);
}

void Request::Operation::abandon() noexcept {
  try {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0 && state_ == State::moving) return;
    if (state_ == State::moving && direction == Direction::receive) {
      cancelling_ = true;
      mpi::check(MPI_Cancel(&handle), "MPI_Cancel");
    }
    advance(true);
  } catch (const std::exception&) {
    state_ = State::complete;  // the operation has ended either way, and a destructor has nobody to tell
  }
}

Request::Request() noexcept = default;
Request::Request(std::unique_ptr<Operation> operation) noexcept : operation_(std::move(operation)) {}
Request::Request(Request&&) noexcept = default;

Request& Request::operator=(Request&& other) noexcept {
  if (this == &other) return *this;
  if (operation_) operation_->abandon();
  operation_ = std::move(other.operation_);
  return *this;
}

Request::~Request() {
  if (operation_) operation_->abandon();
}

Status Request::wait() {
  if (!operation_) return {};
  const std::unique_ptr<Operation> operation = std::move(operation_);
  operation->advance(true);
  return operation->status;
}

std::optional<Status> Request::test() {
  if (!operation_) return Status{};
  // Out of this request's hands while it moves on, so that an error leaves the request inactive.
  std::unique_ptr<Operation> operation = std::move(operation_);
  if (operation->advance(false)) return operation->status;
  operation_ = std::move(operation);
  return std::nullopt;
}

}  // namespace typewarp
