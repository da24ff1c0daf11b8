// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/launch_context.hpp"

#include <utility>

namespace typewarp::gpu {

/// A point in a stream that can be polled or waited for without synchronising the stream's later work. Throws
/// GpuError for whatever failed before that point.
class Event {
 public:
  /// No point yet: record() must come before done() and wait(). -1 is the current device. Acquires everything
  /// that may be lacking, so make one before you enqueue the work to be followed.
  explicit Event(int device);
  /// Records the point that `stream` has reached now, on `device`; -1 is the current device.
  Event(int device, Stream stream);
  /// The other one is empty afterwards.
  Event(Event&& other) noexcept
      : event_(std::exchange(other.event_, nullptr)), told_(other.told_), recorded_(other.recorded_) {}
  Event& operator=(Event&&) = delete;
  ~Event();

  /// Follows the point that `stream`, of the device or a default stream, has reached now.
  void record(Stream stream);
  /// Calls `enqueue` with a context of `stream`, and follows the point that is reached; if that throws, what
  /// was enqueued until then. The device reports the point in host memory, which done() and wait() read
  /// without calling the driver: a kernel whose thread blocks all run at once by itself (with one block 2.5
  /// us sooner on an H200), or else the stream.
  void follow(Stream stream, const Enqueue& enqueue);
  bool done() const;
  void wait() const;
  /// Work that `later` is given from now on waits for the point that record() recorded.
  void hold(Stream later) const;

 private:
  void* event_;
  bool told_ = false;      ///< whether the device tells
  bool recorded_ = false;  ///< whether the driver's event follows the point
};

}  // namespace typewarp::gpu
