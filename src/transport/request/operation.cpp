// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/request/operation.hpp"

#include "transport/request/progress.hpp"

#include <array>
#include <string>
#include <utility>

namespace typewarp {

Request::Operation::Operation(const transport::Peer& peer, std::shared_ptr<transport::Progress> home)
    : peer_(peer), home_(std::move(home)) {}

bool Request::Operation::advance(bool block) noexcept {
  try {
    if (!run(block)) return false;
  } catch (...) {
    const bool again = failing_;
    if (!error_) error_ = std::current_exception();
    give_up();
    if (!again) return false;
    lost_ = true;  // an error on the way out: nothing more can be brought to an end
  }
  over_.store(true, std::memory_order_release);
  return true;
}

void Request::Operation::cancel() noexcept {
  try {
    withdraw();
  } catch (...) {
    if (!error_) error_ = std::current_exception();
    give_up();
  }
}

void Request::Operation::give_up(std::exception_ptr why) noexcept {
  if (std::exchange(failing_, true)) return;
  if (!error_) error_ = std::move(why);
  try {
    fail();
  } catch (...) {
    if (!error_) error_ = std::current_exception();
  }
}

std::uint64_t Request::Operation::steps() const noexcept {
  const std::uint64_t own = steps_.load(std::memory_order_relaxed);
  return waits_for_memory_.load(std::memory_order_relaxed) ? own + home_->steps() : own;
}

void Request::Operation::count_step() noexcept {
  steps_.fetch_add(1, std::memory_order_relaxed);
  if (home_) home_->count_step();
}

const Status& Request::Operation::result() const {
  if (error_) std::rethrow_exception(error_);
  return status_;
}

namespace transport {
namespace {

std::string text(std::int64_t bytes, std::int64_t room) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(MPI_ERR_TRUNCATE, text.data(), &length);
  return std::string(text.data(), static_cast<std::size_t>(length)) + " (" + std::to_string(bytes) +
         " bytes came where there is room for " + std::to_string(room) + ")";
}

}  // namespace

Truncated::Truncated(const Status& status, std::int64_t room)
    : MpiError("MPI_Irecv", MPI_ERR_TRUNCATE, MPI_ERR_TRUNCATE, text(status.bytes, room), false),
      status_(status),
      room_(room) {}

}  // namespace transport

}  // namespace typewarp
