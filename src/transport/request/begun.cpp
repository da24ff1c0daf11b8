// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/request/begun.hpp"

#include "transport/mpi/wait_loop.hpp"

#include <chrono>

namespace typewarp::transport {
namespace {

// What takes longer does not feel the list of operations any more, nor that a progress thread is woken, which
// sleeps as long as there is nothing in the list.
constexpr std::chrono::microseconds patience{100};

}  // namespace

Request Begun::request() && {
  std::shared_ptr<Operation> operation = place_.front();
  if (operation->home()) operation->home()->add(std::move(place_));
  return Internal::request(std::move(operation));
}

Status Begun::wait() && {
  if (!brought_to_end()) return std::move(*this).request().wait();
  const std::shared_ptr<Operation> operation = place_.front();
  if (operation->lost()) Progress::keep(std::move(place_));
  return operation->result();
}

bool Begun::brought_to_end() {
  Operation& operation = *place_.front();
  if (!operation.home()) return false;
  const auto end = std::chrono::steady_clock::now() + patience;
  for (WaitLoop loop; !operation.advance(false);) {
    operation.home()->advance_some();
    if (loop.again() && std::chrono::steady_clock::now() > end) return false;
  }
  return true;
}

}  // namespace typewarp::transport
