// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>

#include <memory>

namespace typewarp::transport {

/// A point in a stream of the caller's, behind which a message's memory may be touched. Copies are of one
/// point, which the runtime is asked about once for all of them.
class StreamPoint {
 public:
  /// One that has come.
  StreamPoint() = default;
  /// Comes when `stream`, of `device` or a default stream, has done what it holds now: has come, if that is
  /// known to be nothing. -1 is the current device. Throws GpuError.
  StreamPoint(int device, Stream stream);

  /// Whether it has come; `block` waits for it. Throws GpuError for what failed before it, once for each
  /// copy: it has come then, since what failed touches no memory any more.
  bool reached(bool block);

 private:
  struct Point;
  std::shared_ptr<Point> point_;
};

}  // namespace typewarp::transport
