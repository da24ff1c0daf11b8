// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/flags.hpp"

#include <typewarp/stream.hpp>

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace typewarp::gpu {

/// Whether the driver has operations of streams on words of memory.
bool has_stream_operations();

/// Such operations, given to a stream as often as there are enough of them. Precondition:
/// has_stream_operations().
class StreamOperations {
 public:
  explicit StreamOperations(Stream stream) noexcept : stream_(stream) {}

  /// Waits until the flag is 1.
  void await(const Flag* flag);
  void store(Flag* flag, Flag value);
  void store(std::uint64_t* word, std::uint64_t value);
  /// Gives the stream what it has not got yet. Throws GpuError.
  void flush();

 private:
  /// The driver takes less than 256 at a time.
  static constexpr std::size_t most = 255;

  void add(const CUstreamBatchMemOpParams& operation);

  CUstream stream_;
  std::array<CUstreamBatchMemOpParams, most> operations_;
  std::size_t count_ = 0;
};

}  // namespace typewarp::gpu
