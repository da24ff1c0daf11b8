// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/dispatch.hpp"

#include "engine/staging.hpp"

#include <typewarp/error.hpp>

namespace typewarp::engine {
namespace {

/// Where a side lies.
struct Place {
  const void* address;  ///< of its first byte of data
  PointerInfo memory;
};

/// Asked at the first byte that holds data: the side's address itself may be null or lie outside of the
/// buffer.
Place place(const cuda::Side& side) {
  const auto address = reinterpret_cast<std::uintptr_t>(side.address);
  const std::int64_t offset = side.plan == nullptr ? 0 : side.plan->layout().offset;
  const auto* const data = reinterpret_cast<const void*>(address + static_cast<std::uintptr_t>(offset));
  return {data, cuda::pointer_info(data)};
}

bool on_device(const Place& place) {
  return place.memory.kind == MemoryKind::device || place.memory.kind == MemoryKind::managed;
}

bool reachable(const Place& place, int device) {
  if (place.memory.kind != MemoryKind::device) return place.memory.kind != MemoryKind::host;
  if (place.memory.device == device) return true;
  return cuda::peers_may_touch(place.address) && cuda::can_reach(device, place.memory.device);
}

/// Who moves the bytes between `place` and pinned memory.
Mover mover(const Place& place, int device, Stream stream) {
  if (place.memory.kind == MemoryKind::host) return Mover::host();
  if (reachable(place, device)) return Mover::on(device, stream);
  return Mover::on(place.memory.device, cuda::private_stream(place.memory.device));
}

}  // namespace

void move(std::string_view call, const cuda::Side& destination, const cuda::Side& source, ByteRange range,
          Stream stream) {
  if (!cuda::present()) return move_on_host(destination, source, range);
  const Place to = place(destination);
  const Place from = place(source);
  if (!on_device(to) && !on_device(from)) return move_on_host(destination, source, range);

  const int stream_device = cuda::stream_device(stream);
  const int device = stream_device >= 0 ? stream_device
                     : on_device(from)  ? from.memory.device
                                        : to.memory.device;
  if (reachable(to, device) && reachable(from, device)) {
    return cuda::copy(destination, source, range, device, stream);
  }
  if (cuda::capturing(stream)) {
    throw InvalidArgument(call, "stream", "one that is captured",
                          "must not be, where bytes pass through pinned memory and the call waits for them");
  }
  const Mover filler = mover(from, device, stream);
  const Mover drainer = mover(to, device, stream);
  // Work on a stream of the library's own must still follow what the caller's stream holds.
  if (filler.foreign_to(stream) || drainer.foreign_to(stream)) cuda::Event(device, stream).wait();
  move_staged({destination, drainer}, {source, filler}, range);
}

}  // namespace typewarp::engine
