// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/begun.hpp"

#include "transport/core.hpp"
#include "transport/waiting.hpp"

#include <chrono>
#include <thread>

namespace typewarp::transport {
namespace {

// What takes longer does not feel the list of operations any more, nor that a progress thread is woken, which
// sleeps as long as there is nothing in the list.
constexpr std::chrono::microseconds patience{100};

}  // namespace

Request Begun::request() && {
  std::shared_ptr<Operation> operation = place_.front();
  if (operation->home()) operation->home()->progress.add(std::move(place_));
  return Internal::request(std::move(operation));
}

Status Begun::wait() && {
  if (!brought_to_end()) return std::move(*this).request().wait();
  const std::shared_ptr<Operation> operation = place_.front();
  if (operation->lost()) Progress::keep(operation);
  return operation->result();
}

bool Begun::brought_to_end() {
  Operation& operation = *place_.front();
  if (!operation.home()) return false;
  const auto end = std::chrono::steady_clock::now() + patience;
  for (int look = 1;; ++look) {
    if (operation.advance(false)) return true;
    operation.home()->progress.advance_some();
    if (look % looks_between_yields != 0) continue;
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
}

}  // namespace typewarp::transport
