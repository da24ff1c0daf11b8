// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/buffer/message_buffer.hpp"

#include "engine/arguments.hpp"
#include "engine/dispatch.hpp"
#include "engine/runtime/gpu_sharing.hpp"
#include "transport/tuning/policy.hpp"

#include <typewarp/host.hpp>

namespace typewarp::transport {
namespace {

// For fewer bytes, waking threads takes longer than moving them.
int threads_for(std::int64_t bytes) {
  constexpr std::int64_t least_shared = std::int64_t{256} << 10;
  constexpr int as_the_engine_likes = 0;
  return bytes < least_shared ? 1 : as_the_engine_likes;
}

/// The packed bytes `range`, in page-locked memory at `packed`.
gpu::Side pinned(const std::byte* packed, ByteRange range) {
  return {nullptr, range.end - range.begin, const_cast<std::byte*>(packed), MemoryKind::pinned};
}

bool by_engines(const gpu::Side& to, const gpu::Side& from, ByteRange range,
                const gpu::LaunchContext& context) {
  return engines_come_first(gpu::sharing(context.device), range.end - range.begin) &&
         gpu::copy_by_engines(to, from, range, context);
}

}  // namespace

std::int64_t packed_bytes(const Names& names, std::int64_t count, const Plan& plan, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) {
    throw InvalidArgument(names.call, "comm", "MPI_COMM_NULL", "must be a communicator");
  }
  if (count < 0) throw InvalidArgument(names.call, names.count, count, "must not be negative");
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count, plan.size(), &bytes)) {
    throw InvalidArgument(names.call, names.count, count,
                          "times the size of the plan's datatype must fit 64 bits");
  }
  return bytes;
}

MessageBuffer::MessageBuffer(const Names& names, const void* memory, std::int64_t items, const Plan& datatype,
                             MPI_Comm comm, bool nobody, Stream order)
    : buffer(const_cast<void*>(memory)),  // written by receives only, which were given it writable
      count(items),
      plan(datatype),
      stream(order),
      bytes(packed_bytes(names, items, datatype, comm)) {
  if (nobody) bytes = count = 0;
  route = transport::route(names.call, names.buffer, buffer, count, plan);
  if (on_device() && gpu::capturing(stream)) {
    throw InvalidArgument(names.call, "stream", "one that is being captured",
                          "must not be captured: a graph holds no messages");
  }
  // Pageable memory is not ordered with a stream, so the stream is not looked at.
  const int of_stream = ordered() ? gpu::stream_device(stream) : -1;
  device = of_stream >= 0 ? of_stream : route.device;
}

StreamPoint MessageBuffer::turn() const {
  if (!ordered()) return {};
  return taken_ ? *taken_ : StreamPoint(device, stream);
}

void MessageBuffer::leave_stream() {
  route.in_stream_order = false;
  taken_.reset();
  if (!on_device()) return;
  device = route.device;
  stream = own_stream(*this, device, gpu::packing_role(0));
}

void MessageBuffer::pack_now(std::byte* packed) const {
  if (!on_device()) return pack_on_host({0, bytes}, packed);
  std::optional<gpu::Event> done;
  follow(device, stream, done,
         [&](const gpu::LaunchContext& context) { pack_under(context, {0, bytes}, packed); });
  done->wait();
}

void MessageBuffer::pack(ByteRange range, std::byte* packed, std::optional<gpu::Event>& done,
                         std::int64_t number) const {
  if (!on_device()) return pack_on_host(range, packed);
  follow(route.device, own_stream(*this, route.device, gpu::packing_role(number)), done,
         [&](const gpu::LaunchContext& context) { pack_under(context, range, packed); });
}

void MessageBuffer::pack_under(const gpu::LaunchContext& context, ByteRange range, std::byte* packed) const {
  if (packs_by_engines(context, range, packed)) return;
  engine::move("typewarp::pack", engine::packed_side(packed, range), engine::user_side(buffer, count, plan),
               range, context);
}

bool MessageBuffer::packs_by_engines(const gpu::LaunchContext& context, ByteRange range,
                                     std::byte* packed) const {
  return by_engines(pinned(packed, range), at_home(), range, context);
}

void MessageBuffer::unpack(ByteRange range, const std::byte* packed, std::optional<gpu::Event>& done,
                           std::int64_t number) const {
  if (!on_device()) return unpack_on_host(range, packed);
  follow(route.device, own_stream(*this, route.device, gpu::unpacking_role(number)), done,
         [&](const gpu::LaunchContext& context) {
           if (by_engines(at_home(), pinned(packed, range), range, context)) return;
           engine::move("typewarp::unpack", engine::user_side(buffer, count, plan),
                        engine::packed_side(packed, range), range, context);
         });
}

void MessageBuffer::pack_near(ByteRange range, std::byte* packed, std::optional<gpu::Event>& done,
                              std::int64_t number, gpu::OccupancyLimit occupancy) const {
  if (!on_device()) return pack_on_host(range, packed);
  const gpu::Side near{nullptr, range.end - range.begin, packed, MemoryKind::device, route.device};
  follow(route.device, own_stream(*this, route.device, gpu::packing_role(number)), done,
         [&](gpu::LaunchContext context) {
           context.occupancy = occupancy;
           gpu::copy(near, at_home(), range, context);
         });
}

// Calls the host engine itself: to query the driver about addresses takes longer than to move a short
// message.
void MessageBuffer::pack_on_host(ByteRange range, std::byte* packed) const {
  host::pack(buffer, count, plan, packed, range, threads_for(range.end - range.begin));
}

void MessageBuffer::unpack_on_host(ByteRange range, const std::byte* packed) const {
  host::unpack(packed, buffer, count, plan, range, threads_for(range.end - range.begin));
}

bool reached(std::optional<gpu::Event>& event, bool block) {
  if (!event) return true;
  try {
    if (!block) return event->done();
    event->wait();
    return true;
  } catch (const GpuError&) {
    event.reset();
    throw;
  }
}

bool ended(std::optional<gpu::Event>& event, bool block) noexcept {
  try {
    return reached(event, block);
  } catch (const GpuError&) {
    return true;
  }
}

}  // namespace typewarp::transport
