// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/gpu.hpp"
#include "interpose/core/buffers/data.hpp"
#include "transport/buffer/staging.hpp"

#include <typewarp/batch.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace typewarp::interpose {

/// Data, and where its packed bytes begin among those of others.
struct PlacedData {
  Data data;
  std::int64_t place;
};

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
  void pack(const Data& data, void* packed) { pack(data, {0, data.bytes()}, packed); }
  void unpack(const void* packed, std::int64_t bytes, const Data& data) {
    unpack(packed, ByteRange{0, bytes}, data);
  }
  /// The same of a range of the packed stream; `packed` is its first byte.
  void pack(const Data& data, ByteRange range, void* packed);
  void unpack(const void* packed, ByteRange range, const Data& data);
  /// The same of many that have one stream: by one launch, where one device reaches them.
  void pack(std::span<const PlacedData> all, std::byte* packed);
  void unpack(const std::byte* packed, std::span<const PlacedData> all);

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
  /// Gives those that lie in several memories to `one_by_one`, and follows the others, which it returns.
  template <class OneByOne>
  std::vector<Piece> follow(std::span<const PlacedData> all, const void* packed, OneByOne one_by_one);
  void follow(Stream stream, const void* address);
  bool over() noexcept;

  std::vector<Queue> queues_;  ///< that were given something
};

/// Host memory for packed bytes of whatever memory, where a device reaches them if one is used.
transport::Staging staging_for_moves(std::int64_t bytes);

}  // namespace typewarp::interpose
