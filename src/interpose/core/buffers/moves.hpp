// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/gpu.hpp"
#include "interpose/core/buffers/data.hpp"
#include "transport/buffer/staging.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace typewarp::interpose {

/// What is packed and unpacked together, and when it is done. A default stream is that of the device with
/// which the memory lies, and not of the one that is current in the thread that asks.
class Moves {
 public:
  Moves() = default;
  Moves(const Moves&) = delete;
  Moves& operator=(const Moves&) = delete;
  /// Waits for what was enqueued.
  ~Moves();

  /// Pack all of it, or unpack the first `bytes` bytes of the packed stream; enqueued on its stream. Throw
  /// GpuError.
  void pack(const Data& data, void* packed);
  void unpack(const void* packed, std::int64_t bytes, const Data& data);

  /// Whether all that was enqueued is done; waits for it if `block`. Throws GpuError.
  bool reached(bool block);

 private:
  struct Queue {
    int device;
    Stream stream;
    std::optional<gpu::Event> point;  ///< that it must reach; made before it is given anything
    bool marked = false;
  };
  void follow(const Data& data, const void* packed);
  void follow(Stream stream, const void* address);
  bool over() noexcept;

  std::vector<Queue> queues_;  ///< that were given something
};

/// Host memory for packed bytes of whatever memory, where a device reaches them if one is used.
transport::Staging staging_for_moves(std::int64_t bytes);

}  // namespace typewarp::interpose
