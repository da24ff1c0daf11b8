// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/request/waiting.hpp"

#include <typewarp/completion.hpp>

#include <algorithm>
#include <exception>

namespace typewarp {
namespace {

using transport::Waiting;

/// The first active request, which is over if it `must_be_over`; the end if there is none.
std::span<Request>::iterator next_active(std::span<Request> requests, bool must_be_over) {
  return std::ranges::find_if(requests, [=](const Request& request) {
    return request.active() && (!must_be_over || Waiting::over(request));
  });
}

std::optional<Completion> take_any(std::span<Request> requests) {
  const auto found = next_active(requests, true);
  if (found == requests.end()) return std::nullopt;
  return Completion{static_cast<std::size_t>(found - requests.begin()), Waiting::finish(*found)};
}

// A failed request is left for the next call if others have completed.
std::vector<Completion> take_some(std::span<Request> requests) {
  std::vector<Completion> done;
  done.reserve(requests.size());
  Request* failed = nullptr;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Request& request = requests[i];
    if (!request.active() || !Waiting::over(request)) continue;
    if (!Waiting::failed(request)) {
      done.push_back({i, Waiting::finish(request)});
    } else if (failed == nullptr) {
      failed = &request;
    }
  }
  if (done.empty() && failed != nullptr) Waiting::finish(*failed);
  return done;
}

// Waits until one is over. Returns false if none is active. Throws TimeLimitExceeded for the first active
// one, which becomes inactive.
bool await_one(std::span<Request> requests) {
  Waiting waiting(requests);
  for (;;) {
    const auto first = next_active(requests, false);
    if (first == requests.end()) return false;
    if (next_active(requests, true) != requests.end()) return true;
    if (waiting.round()) continue;
    Waiting::give_up(*first);
    Waiting::finish(*first);
  }
}

}  // namespace

std::vector<Status> wait_all(std::span<Request> requests) {
  std::vector<Status> statuses;
  statuses.reserve(requests.size());
  Waiting(requests).bring_all_to_end();
  std::exception_ptr first;
  for (Request& request : requests) {
    try {
      statuses.push_back(request.active() ? Waiting::finish(request) : Status{});
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
  return statuses;
}

std::optional<std::vector<Status>> test_all(std::span<Request> requests) {
  Waiting::move_on(requests);
  if (!std::ranges::all_of(requests, Waiting::over)) return std::nullopt;
  return wait_all(requests);
}

std::optional<Completion> test_any(std::span<Request> requests) {
  Waiting::move_on(requests);
  return take_any(requests);
}

std::optional<Completion> wait_any(std::span<Request> requests) {
  if (!await_one(requests)) return std::nullopt;
  return take_any(requests);
}

std::vector<Completion> test_some(std::span<Request> requests) {
  Waiting::move_on(requests);
  return take_some(requests);
}

std::vector<Completion> wait_some(std::span<Request> requests) {
  if (!await_one(requests)) return {};
  return take_some(requests);
}

}  // namespace typewarp
