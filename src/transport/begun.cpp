// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/begun.hpp"

#include "transport/core.hpp"

namespace typewarp::transport {
namespace {

// Some microseconds: what takes longer does not feel the list of operations any more.
constexpr int looks = 64;

}  // namespace

Request Begun::request() && {
  std::shared_ptr<Operation> operation = place_.front();
  if (operation->home()) operation->home()->progress.add(std::move(place_));
  return Request(std::move(operation));
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
  for (int look = 0; look < looks; ++look) {
    if (operation.advance(false)) return true;
    operation.home()->progress.advance_some();
  }
  return false;
}

}  // namespace typewarp::transport
