// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/cuda/cuda.hpp"

namespace typewarp::engine {

/// Who moves the bytes of one side: the calling thread, or a device on one of its streams.
class Mover {
 public:
  static Mover host() noexcept { return {-1, nullptr}; }
  static Mover on(int device, Stream stream) noexcept { return {device, stream}; }

  bool is_host() const noexcept { return device_ < 0; }
  int device() const noexcept { return device_; }
  Stream stream() const noexcept { return stream_; }
  /// Whether this is a device, and works on another stream than the caller's.
  bool foreign_to(Stream callers) const noexcept { return !is_host() && stream_ != callers; }

 private:
  Mover(int device, Stream stream) noexcept : device_(device), stream_(stream) {}

  int device_;
  Stream stream_;
};

/// A side and who can reach it.
struct End {
  cuda::Side side;
  Mover mover;
};

/// Moves bytes `range` on the calling thread (and the host engine's).
void move_on_host(const cuda::Side& destination, const cuda::Side& source, ByteRange range);

/// Moves bytes `range` through pinned memory in chunks, two in flight, between sides that nobody can reach
/// both. All bytes are in place on return. Throws what either engine throws; nothing is in flight then.
void move_staged(const End& destination, const End& source, ByteRange range);

}  // namespace typewarp::engine
