// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/gpu.hpp"
#include "interpose/core/buffers/data.hpp"
#include "transport/buffer/staging.hpp"

#include <typewarp/batch.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
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
  Moves& operator=(Moves&&) = delete;
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

// Data that lies partly with a device and partly in memory of the host, as types of absolute addresses may.
// No kernel reaches both, so each stretch of it is moved for itself.

enum class Apart : std::uint8_t {
  memories,  ///< by the memory in which the bytes lie
  blocks,    ///< as if each block lay in a memory of its own: for tests
};

/// The stretches of `count` items at `address`, in the order of the packed stream; null where there is one
/// only. Asks the driver of each block that is listed, once for those that begin in one page one after the
/// other. A repetition of more than 16 items that do not themselves lie in several memories lies in one if
/// its ends do.
std::shared_ptr<const Stretches> stretches_of(const void* address, std::int64_t count, const Plan& plan,
                                              Apart apart = Apart::memories);
/// The same of what lies at an address of the program's, and not at MPI_BOTTOM. Asks only of the ends, and
/// only where these are 2 MiB apart, unless they lie in several memories.
std::shared_ptr<const Stretches> stretches_of_buffer(const void* address, std::int64_t count,
                                                     const Plan& plan);

/// Moves a range of the packed stream, of which `packed` is the first byte: enqueued on the data's stream, or
/// done. Precondition: the data is split. Throw GpuError.
void pack_stretches(const Data& data, ByteRange range, std::byte* packed);
void unpack_stretches(const std::byte* packed, ByteRange range, const Data& data);

}  // namespace typewarp::interpose
