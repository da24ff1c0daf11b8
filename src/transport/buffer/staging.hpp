// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/gpu.hpp"
#include "transport/memory/host_buffer.hpp"

#include <typewarp/engine.hpp>

#include <variant>

namespace typewarp::transport {

/// How the MPI, which reads and writes host memory only, accesses the packed bytes of (buffer, count, plan).
struct BufferPath {
  enum class Kind {
    direct,  ///< consecutive bytes of host memory, used in place
    host,    ///< host memory, through a host buffer
    device,  ///< memory that lives with a device, through a pinned buffer
  };
  Kind kind = Kind::direct;
  std::byte* first = nullptr;  ///< where the first byte of the type map lies
  int device = -1;             ///< where the memory lives; -1 for host memory
  bool consecutive = false;    ///< whether the bytes lie one after the other
  /// Page-locked host memory: a stream may be using it, so it is accessed in the order of the stream.
  bool in_stream_order = false;
};

/// Whether the bytes of the type map are contiguous and in order.
bool consecutive(const Plan& plan, std::int64_t count) noexcept;

/// Throws InvalidArgument, naming `argument`, for a null buffer of a type that holds no absolute addresses.
BufferPath route(const char* call, const char* argument, const void* buffer, std::int64_t count,
                 const Plan& plan);

/// Memory for packed bytes: none, host or pinned.
class Staging {
 public:
  Staging() = default;
  Staging(BufferPath::Kind kind, std::int64_t bytes);

  std::byte* data() const noexcept;

 private:
  std::variant<std::monostate, HostBuffer, gpu::PinnedBuffer> buffer_;
};

}  // namespace typewarp::transport
