// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/buffer/staging.hpp"
#include "transport/buffer/stream_point.hpp"

#include <mpi.h>

#include <optional>
#include <vector>

namespace typewarp::transport {

/// The side of a message that a caller described, with the names that he knows it by.
struct Names {
  const char* call;
  const char* buffer;
  const char* count;
};

/// Of the packed stream. Throws InvalidArgument for `comm`, the count, or a product beyond 64 bits.
std::int64_t packed_bytes(const Names& names, std::int64_t count, const Plan& plan, MPI_Comm comm);

/// One side of a message: memory of the user's and what it holds.
struct MessageBuffer {
  /// Checks what a caller gave. With `nobody` at the other end (MPI_PROC_NULL) nothing of it is looked at but
  /// the count. Throws InvalidArgument.
  MessageBuffer(const Names& names, const void* memory, std::int64_t items, const Plan& datatype,
                MPI_Comm comm, bool nobody, Stream order);

  void* buffer;
  std::int64_t count;
  Plan plan;
  Stream stream;
  std::int64_t bytes = 0;  ///< of the packed stream
  BufferPath route;
  int device = -1;  ///< on which `stream` runs; -1 for the current one

  /// Whether the MPI reads and writes the user's memory itself.
  bool in_place() const noexcept { return route.kind == BufferPath::Kind::direct; }
  bool on_device() const noexcept { return route.kind == BufferPath::Kind::device; }
  /// As an engine takes it, for the device that has the memory.
  gpu::Side at_home() const noexcept { return {&plan, count, buffer, MemoryKind::device, route.device}; }
  /// Whether the memory may be touched only behind what the stream holds.
  bool ordered() const noexcept { return route.in_stream_order || on_device(); }
  /// When it may be touched: behind what the stream holds now, or the turn that was taken.
  StreamPoint turn() const;
  /// For a side of several whose turn is one. Until leave_stream().
  void take(const StreamPoint& turn) { taken_ = turn; }
  /// For a message that starts after the call, when its turn has come: the caller's stream may be gone by
  /// then.
  void leave_stream();
  /// Packs all bytes to `packed`, behind what the stream holds, and waits for that.
  void pack_now(std::byte* packed) const;
  /// Packs bytes `range`, fragment `number` of them, to `packed`, or the reverse; records when that will be
  /// done, unless it is, also for what was enqueued when it throws: `packed` must stay until then. The turn
  /// must have come: this orders with nothing that the caller's stream holds, nor waits behind it.
  void pack(ByteRange range, std::byte* packed, std::optional<gpu::Event>& done,
            std::int64_t number = 0) const;
  void unpack(ByteRange range, const std::byte* packed, std::optional<gpu::Event>& done,
              std::int64_t number = 0) const;
  /// Enqueues that by copy engines, if the device takes turns and they suit; else nothing.
  bool packs_by_engines(const gpu::LaunchContext& context, ByteRange range, std::byte* packed) const;
  /// As pack(), to memory that the side's device has, if a device has the side.
  void pack_near(ByteRange range, std::byte* packed, std::optional<gpu::Event>& done, std::int64_t number = 0,
                 gpu::OccupancyLimit occupancy = gpu::OccupancyLimit::none) const;

 private:
  std::optional<StreamPoint> taken_;

  void pack_under(const gpu::LaunchContext& context, ByteRange range, std::byte* packed) const;
  void pack_on_host(ByteRange range, std::byte* packed) const;
  void unpack_on_host(ByteRange range, const std::byte* packed) const;
};

/// One turn for all sides of a call which one stream orders: to mark it and to ask about it takes longer than
/// all else that a short message needs.
class StreamPoints {
 public:
  /// The side's turn is that of the sides before it that have its stream. To be called at the time that the
  /// turn is of, and for as long as the caller gives the stream nothing to do. Throws GpuError.
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

/// A stream of the library's own for work of that side, of the priority that its plan wants.
inline Stream own_stream(const MessageBuffer& side, int device, gpu::StreamRole role) {
  return gpu::private_stream(device, role, side.plan.hints().priority);
}

/// Enqueues on `stream` of `device`, and lets `done` follow what was enqueued, also where `enqueue` throws.
inline void follow(int device, Stream stream, std::optional<gpu::Event>& done, const gpu::Enqueue& enqueue) {
  done.emplace(device).follow(stream, enqueue);
}

/// Whether there is no event or it has come; `block` waits for it. Throws GpuError for what failed, once:
/// the event is gone then, since what failed touches no memory any more.
bool reached(std::optional<gpu::Event>& event, bool block);
/// The same where it does not matter whether something failed: what has failed writes no more.
bool ended(std::optional<gpu::Event>& event, bool block) noexcept;

}  // namespace typewarp::transport
