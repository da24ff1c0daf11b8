// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/dispatch.hpp"

#include "engine/runtime/displaced.hpp"

#include <typewarp/error.hpp>

#include <string>

namespace typewarp::engine {
namespace {

/// `side`, which lies at `place`, and who reaches it: the context's device if it can.
PlacedSide end_of(const gpu::Side& side, const SideLocation& place, const gpu::LaunchContext& context) {
  if (place.memory.kind == MemoryKind::host) return {side, std::nullopt};
  if (place.reachable(context.device)) return {side, {{context.device, context.stream}}};
  const int device = place.memory.device;
  return {side, {{device, gpu::private_stream(device)}}};
}

bool on_other_stream(const PlacedSide& end, Stream stream) {
  return end.device && end.device->stream != stream;
}

}  // namespace

SideLocation place_of(const gpu::Side& side) {
  const void* const data =
      gpu::displaced(side.address, side.plan == nullptr ? 0 : side.plan->layout().offset);
  return {data, gpu::pointer_info(data)};
}

bool SideLocation::on_device() const noexcept {
  return memory.kind == MemoryKind::device || memory.kind == MemoryKind::managed;
}

bool SideLocation::reachable(int device) const { return gpu::reachable(address, memory, device); }

gpu::Side SideLocation::of(gpu::Side side) const noexcept {
  side.memory = memory.kind;
  side.device = memory.device;
  return side;
}

int Route::device(int preferred) const noexcept {
  if (preferred >= 0) return preferred;
  return source.on_device() ? source.memory.device : destination.memory.device;
}

void check_reachable(std::string_view call, std::string_view argument, const SideLocation& place,
                     int device) {
  if (place.reachable(device)) return;
  if (place.memory.kind == MemoryKind::host) {
    throw InvalidArgument(call, argument, "pageable host memory",
                          "must be memory that a GPU reaches, because the other side is a device's");
  }
  throw InvalidArgument(call, argument, "memory of device " + std::to_string(place.memory.device),
                        "must be memory that device " + std::to_string(device) + " reaches");
}

void move(std::string_view call, const gpu::Side& destination, const gpu::Side& source, ByteRange range,
          gpu::LaunchContext context) {
  if (!gpu::present()) return move_on_host(destination, source, range);
  move(call, destination, source, range, context, Route(destination, source));
}

void move(std::string_view call, const gpu::Side& destination, const gpu::Side& source, ByteRange range,
          gpu::LaunchContext context, const Route& route) {
  if (route.on_host()) return move_on_host(destination, source, range);

  const Stream stream = context.stream;
  if (context.device < 0) context.device = route.device(gpu::stream_device(stream));
  if (route.direct(context.device)) {
    return gpu::copy(route.destination.of(destination), route.source.of(source), range, context);
  }
  if (gpu::capturing(stream)) {
    throw InvalidArgument(call, "stream", "one that is captured",
                          "must not be, where bytes pass through pinned memory and the call waits for them");
  }
  const PlacedSide to = end_of(destination, route.destination, context);
  const PlacedSide from = end_of(source, route.source, context);
  // Work on a stream of the library's own must still follow what the caller's stream holds.
  if (on_other_stream(to, stream) || on_other_stream(from, stream)) gpu::Event(context.device, stream).wait();
  move_staged(to, from, range);
}

}  // namespace typewarp::engine
