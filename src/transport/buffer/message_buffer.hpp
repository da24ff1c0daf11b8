// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/buffer/staging.hpp"
#include "transport/buffer/stream_point.hpp"

#include <mpi.h>

#include <optional>
#include <vector>

namespace typewarp::transport {

/// The names by which a caller knows the arguments of one side of a message.
struct Names {
  const char* call;
  const char* buffer;
  const char* count;
};

/// The length of the packed stream. Throws InvalidArgument for `comm`, the count, or a product beyond 64
/// bits.
std::int64_t packed_bytes(const Names& names, std::int64_t count, const Plan& plan, MPI_Comm comm);

/// One side of a message: the user's memory and its layout.
struct MessageBuffer {
  /// Checks the caller's arguments; only the count if `nobody` is at the other end (MPI_PROC_NULL). Throws
  /// InvalidArgument.
  MessageBuffer(const Names& names, const void* memory, std::int64_t items, const Plan& datatype,
                MPI_Comm comm, bool nobody, Stream order);

  void* buffer;
  std::int64_t count;
  Plan plan;
  Stream stream;
  std::int64_t bytes = 0;  ///< of the packed stream
  BufferPath route;
  int device = -1;  ///< on which `stream` runs; -1 for the current one
  bool is_of_collective = false;

  /// Whether the MPI reads and writes the user's memory itself.
  bool in_place() const noexcept { return route.kind == BufferPath::Kind::direct; }
  bool on_device() const noexcept { return route.kind == BufferPath::Kind::device; }
  /// As an argument of the engine on the device that has the memory.
  gpu::Side at_home() const noexcept { return {&plan, count, buffer, MemoryKind::device, route.device}; }
  /// Whether the memory may be touched only after the work that the stream holds.
  bool ordered() const noexcept { return route.in_stream_order || on_device(); }
  /// When the memory may be touched: after what the stream holds now, or the point that was taken.
  StreamPoint turn() const;
  /// Sets the point, for several sides that share one. Until leave_stream().
  void take(const StreamPoint& turn) { taken_ = turn; }
  /// For a message that starts after the call, when its point has been reached: the caller's stream may be
  /// gone by then.
  void leave_stream();
  /// Packs all bytes to `packed` after what the stream holds, and waits.
  void pack_now(std::byte* packed) const;
  /// Packs bytes `range`, fragment `number`, to `packed`, or the reverse. Unless that is done at once, `done`
  /// tells when, also if this throws after enqueuing: `packed` must stay until then. The point of the stream
  /// must have been reached: this is not ordered with the caller's stream.
  void pack(ByteRange range, std::byte* packed, std::optional<gpu::Event>& done,
            std::int64_t number = 0) const;
  void unpack(ByteRange range, const std::byte* packed, std::optional<gpu::Event>& done,
              std::int64_t number = 0) const;
  /// Enqueues that for copy engines, if several processes use the device and copies suit the layout; else
  /// does nothing.
  bool packs_by_engines(const gpu::LaunchContext& context, ByteRange range, std::byte* packed) const;
  /// As pack(), but to memory of the side's device, if it is on a device.
  void pack_near(ByteRange range, std::byte* packed, std::optional<gpu::Event>& done, std::int64_t number = 0,
                 gpu::OccupancyLimit occupancy = gpu::OccupancyLimit::none) const;

 private:
  std::optional<StreamPoint> taken_;

  void pack_under(const gpu::LaunchContext& context, ByteRange range, std::byte* packed) const;
  void pack_on_host(ByteRange range, std::byte* packed) const;
  void unpack_on_host(ByteRange range, const std::byte* packed) const;
};

/// One point for all sides of a call that use the same stream: to record an event and to query it takes
/// longer than everything else that a short message needs.
class StreamPoints {
 public:
  /// Gives the side the point of earlier sides with the same stream, or a new one. The caller must not
  /// enqueue anything between these calls. Throws GpuError.
  void give(MessageBuffer& side) {
    if (!side.ordered()) return;
    for (const Known& known : known_) {
      if (known.stream == side.stream && known.device == side.device) return side.take(known.turn);
    }
    known_.push_back({side.stream, side.device, StreamPoint(side.device, side.stream)});
    side.take(known_.back().turn);
  }

 private:
  struct Known {
    Stream stream;
    int device;
    StreamPoint turn;
  };
  std::vector<Known> known_;
};

/// One of the library's streams, with the priority that the side's plan asks for.
inline Stream own_stream(const MessageBuffer& side, int device, gpu::StreamRole role) {
  return gpu::private_stream(device, role, side.plan.hints().priority);
}

/// Enqueues on `stream` of `device`; `done` follows what was enqueued, also if `enqueue` throws.
inline void follow(int device, Stream stream, std::optional<gpu::Event>& done, const gpu::Enqueue& enqueue) {
  done.emplace(device).follow(stream, enqueue);
}

/// Whether there is no event or it has come; `block` waits for it. Throws GpuError once for work that failed,
/// and resets the event, since that work touches no memory any more.
bool reached(std::optional<gpu::Event>& event, bool block);
/// The same if it does not matter whether the work failed.
bool ended(std::optional<gpu::Event>& event, bool block) noexcept;

}  // namespace typewarp::transport
