// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>

#include <memory>

namespace typewarp::transport {

/// A point in the caller's stream, after which a message's memory may be accessed. Copies share one event,
/// which is queried once for all of them.
class StreamPoint {
 public:
  /// A point that has been reached.
  StreamPoint() = default;
  /// Reached when `stream`, of `device` or a default stream, has done what it holds now. -1 is the current
  /// device. Throws GpuError.
  StreamPoint(int device, Stream stream);

  /// Whether it is reached; `block` waits. Throws GpuError for work that failed before it, once for each
  /// copy, which then counts as reached, since that work touches no memory any more.
  bool reached(bool block);

 private:
  struct Point;
  std::shared_ptr<Point> point_;
};

}  // namespace typewarp::transport
