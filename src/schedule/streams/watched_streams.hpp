// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace typewarp::exchange {

class StartSignals;

/// Streams that hold starts which wait for other ranks, as far as a Worker must know of them.
class WatchedStreams {
 public:
  /// Whether all starts have ended that were not captured.
  virtual bool done() const noexcept = 0;
  /// Whether a stream waits, in a start that may be captured.
  virtual bool waits() const noexcept = 0;
  /// Whether a stream has come to another wait, or to none, since this was last asked.
  virtual bool changed() noexcept = 0;
  virtual bool captured() const noexcept = 0;
  /// Whether the start that was the last to fail may have left a part on its stream.
  virtual bool is_torn() const noexcept { return true; }
  /// Throws GpuError for a device that has failed.
  virtual void check_device() const = 0;
  /// Lets streams go on that wait, and what they hold move nothing: one start, so to be repeated.
  virtual void release() = 0;
  /// For what the MPI carries; null where it carries nothing.
  virtual StartSignals* signals() noexcept { return nullptr; }

 protected:
  ~WatchedStreams() = default;
};

}  // namespace typewarp::exchange
