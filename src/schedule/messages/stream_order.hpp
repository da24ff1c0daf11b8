// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/gpu.hpp"
#include "transport/buffer/message_buffer.hpp"

#include <optional>
#include <utility>

namespace typewarp::schedule {

/// What a client has enqueued, and on which streams. Without a device nothing is, and nothing is waited
/// for.
class StreamOrder {
 public:
  /// `device` that has parts; -1 for none.
  explicit StreamOrder(int device) : device_(device) {}
  StreamOrder& operator=(StreamOrder&&) = delete;
  ~StreamOrder() { transport::ended(enqueued_, true); }  // there is nobody to tell of what failed

  /// The device of a stream, or the one that has parts if it is a default stream.
  int device_of(Stream stream) const {
    const int device = gpu::stream_device(stream);
    return device >= 0 ? device : device_;
  }
  /// Returns when the stream is done.
  void settle(Stream stream) const { gpu::Event(device_of(stream), stream).wait(); }
  /// Calls `step`, which gives the stream something to do, and follows that, also where it throws.
  template <typename Step>
  void enqueue(Stream stream, Step step) {
    if (device_ < 0) return step();
    gpu::Event next(device_of(stream));  // before there is something that it must follow
    const auto follow = [&] {
      next.record(stream);
      enqueued_.emplace(std::move(next));
    };
    try {
      step();
    } catch (...) {
      follow();
      throw;
    }
    follow();
  }
  /// What the stream holds now, by whomever, is the last of what uses the buffers.
  void follow(Stream stream) {
    enqueue(stream, [] {});
  }
  /// Whether that is done; `block` waits for it. Throws GpuError for what failed.
  bool reached(bool block) { return transport::reached(enqueued_, block); }

  /// A stream that follows what `stream` holds, and runs beside it from then on; itself without a device.
  Stream beside(Stream stream) {
    if (device_ < 0) return stream;
    if (!own_) own_.emplace(device_);
    gpu::Event(device_of(stream), stream).hold(own_->get());
    return own_->get();
  }
  /// `stream` follows the one beside it.
  void rejoin(Stream stream) const {
    if (own_) gpu::Event(device_, own_->get()).hold(stream);
  }

 private:
  int device_;
  std::optional<gpu::OwnStream> own_;
  std::optional<gpu::Event> enqueued_;
};

}  // namespace typewarp::schedule
