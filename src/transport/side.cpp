// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/side.hpp"

namespace typewarp::transport {
namespace {

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

}  // namespace

Side::Side(const Names& names, const void* memory, std::int64_t items, const Plan& datatype, MPI_Comm comm,
           bool nobody, Stream order)
    : buffer(const_cast<void*>(memory)),  // written by receives only, which were given it writable
      count(items),
      plan(datatype),
      stream(order),
      bytes(packed_bytes(names, items, datatype, comm)) {
  if (nobody) bytes = count = 0;
  route = transport::route(names.call, names.buffer, buffer, count, plan);
  if (on_device() && cuda::capturing(stream)) {
    throw InvalidArgument(names.call, "stream", "one that is being captured",
                          "must not be captured into a graph, of which no message is a part");
  }
  const int of_stream = cuda::stream_device(stream);
  device = of_stream >= 0 ? of_stream : route.device;
}

void Side::record_turn(std::optional<cuda::Event>& turn) const {
  if ((route.in_stream_order || on_device()) && !cuda::idle(stream)) turn.emplace(device, stream);
}

void Side::pack_now(std::byte* packed) const {
  const auto enqueue = [&](Stream order) { typewarp::pack(buffer, count, plan, packed, order); };
  if (!on_device()) return enqueue(stream);
  std::optional<cuda::Event> done;
  follow(device, stream, done, enqueue);
  done->wait();
}

void Side::pack(ByteRange range, std::byte* packed, std::optional<cuda::Event>& done,
                std::int64_t number) const {
  const auto enqueue = [&](Stream own) { typewarp::pack(buffer, count, plan, packed, range, own); };
  if (!on_device()) return enqueue(nullptr);
  follow(route.device, cuda::private_stream(route.device, cuda::packing_lane(number)), done, enqueue);
}

void Side::unpack(ByteRange range, const std::byte* packed, std::optional<cuda::Event>& done,
                  std::int64_t number) const {
  const auto enqueue = [&](Stream own) { typewarp::unpack(packed, buffer, count, plan, range, own); };
  if (!on_device()) return enqueue(nullptr);
  follow(route.device, cuda::private_stream(route.device, cuda::unpacking_lane(number)), done, enqueue);
}

bool reached(std::optional<cuda::Event>& event, bool block) {
  if (!event) return true;
  try {
    if (!block) return event->done();
    event->wait();
    return true;
  } catch (const CudaError&) {
    event.reset();
    throw;
  }
}

}  // namespace typewarp::transport
