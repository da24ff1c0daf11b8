// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/core.hpp"

#include <exception>
#include <thread>

namespace typewarp {
namespace {

bool any_active(std::span<const Request> requests) {
  for (const Request& request : requests) {
    if (request.active()) return true;
  }
  return false;
}

}  // namespace

std::vector<Status> wait_all(std::span<Request> requests) {
  std::vector<Status> statuses;
  statuses.reserve(requests.size());
  std::exception_ptr first;
  for (Request& request : requests) {
    try {
      statuses.push_back(request.wait());
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
  return statuses;
}

std::optional<std::vector<Status>> test_all(std::span<Request> requests) {
  for (Request& request : requests) {
    if (request.active() && !request.ready()) return std::nullopt;
  }
  return wait_all(requests);
}

std::optional<Completion> test_any(std::span<Request> requests) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].active() && requests[i].ready()) return Completion{i, requests[i].wait()};
  }
  return std::nullopt;
}

std::optional<Completion> wait_any(std::span<Request> requests) {
  while (any_active(requests)) {
    if (const std::optional<Completion> done = test_any(requests)) return done;
    std::this_thread::yield();
  }
  return std::nullopt;
}

std::vector<Completion> test_some(std::span<Request> requests) {
  std::vector<Completion> done;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!requests[i].active() || !requests[i].ready()) continue;
    done.push_back({i, requests[i].wait()});
  }
  return done;
}

std::vector<Completion> wait_some(std::span<Request> requests) {
  while (any_active(requests)) {
    if (std::vector<Completion> done = test_some(requests); !done.empty()) return done;
    std::this_thread::yield();
  }
  return {};
}

}  // namespace typewarp
