// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/request/progress.hpp"
#include "transport/request/waiting.hpp"

#include <utility>

namespace typewarp {
namespace {

using transport::Waiting;

// After MPI_Finalize nothing can complete.
void abandon(Request& request) noexcept {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0 || Waiting::over(request)) return;
  try {
    if (!Waiting::is_send(request)) request.cancel();
    Waiting({&request, 1}).bring_all_to_end();
  } catch (const std::exception&) {
    // A destructor cannot report it.
  }
}

}  // namespace

Request::Request() noexcept = default;
Request::Request(std::shared_ptr<Operation> operation) noexcept : operation_(std::move(operation)) {}
Request::Request(std::shared_ptr<const Arguments> arguments) noexcept : arguments_(std::move(arguments)) {}
Request::Request(Request&&) noexcept = default;

Request& Request::operator=(Request&& other) noexcept {
  if (this == &other) return *this;
  abandon(*this);
  operation_ = std::move(other.operation_);
  arguments_ = std::move(other.arguments_);
  return *this;
}

Request::~Request() { abandon(*this); }

Status Request::wait() {
  if (!operation_) return {};
  if (!operation_->over()) Waiting({this, 1}).bring_all_to_end();
  return Waiting::finish(*this);
}

bool Request::ready() {
  Waiting::move_on({this, 1});
  return Waiting::over(*this);
}

std::optional<Status> Request::test() {
  if (!operation_) return Status{};
  if (!ready()) return std::nullopt;
  return Waiting::finish(*this);
}

void Request::cancel() {
  if (!operation_) return;
  if (operation_->home()) {
    operation_->home()->cancel(*operation_);
  } else {
    operation_->cancel();
  }
}

std::int64_t Status::count(const Plan& plan) const {
  if (bytes == 0) return 0;
  if (plan.size() == 0 || bytes % plan.size() != 0) return MPI_UNDEFINED;
  return bytes / plan.size();
}

std::int64_t Status::elements(const Plan& plan) const {
  if (bytes == 0) return 0;
  if (plan.size() == 0) return MPI_UNDEFINED;
  const std::int64_t whole = plan.datatype().elements_in(bytes);
  return whole < 0 ? std::int64_t{MPI_UNDEFINED} : whole;
}

}  // namespace typewarp
