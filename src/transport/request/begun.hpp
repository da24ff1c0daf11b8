// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/request/progress.hpp"

namespace typewarp::transport {

/// A message that has been started. Its caller waits for it here, or makes it a request.
class Begun {
 public:
  explicit Begun(Progress::Place place) noexcept : place_(std::move(place)) {}

  /// Moved on by whoever waits for any message of the Session.
  Request request() &&;
  /// As Request::wait(). For short messages, which nobody else has to know of.
  Status wait() &&;

 private:
  bool brought_to_end();

  Progress::Place place_;
};

}  // namespace typewarp::transport
