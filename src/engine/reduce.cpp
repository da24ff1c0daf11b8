// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/reduce.hpp>

#include "engine/arguments.hpp"
#include "engine/dispatch.hpp"
#include "plan/arithmetic.hpp"

#include <string>

namespace typewarp {
namespace {

constexpr std::string_view call = "typewarp::reduce_local";

void check_arguments(const void* in, const void* inout, std::int64_t count, Named type, Operation operation) {
  static_cast<void>(engine::bytes_of_numbers(call, "count", count, type, operation));
  if (count > 0 && in == nullptr) throw InvalidArgument(call, "in", "null", "must not be null");
  if (count > 0 && inout == nullptr) throw InvalidArgument(call, "inout", "null", "must not be null");
}

void reduce_on_host(const std::byte* in, std::byte* inout, std::int64_t count, Named type,
                    Operation operation) {
  plan::visit_number(type, [&]<typename T>(T, plan::NumberKind) {
    for (std::int64_t i = 0; i < count; ++i) plan::combine<T>(operation, in, inout, i);
  });
}

void check_reached(const engine::SideLocation& place, int device, std::string_view argument) {
  if (place.reachable(device)) return;
  throw InvalidArgument(call, argument, "memory that device " + std::to_string(device) + " does not reach",
                        "must be reached by the device that has the other side");
}

}  // namespace

void reduce_local(const void* in, void* inout, std::int64_t count, Named type, Operation operation,
                  Stream stream) {
  check_arguments(in, inout, count, type, operation);
  if (count == 0) return;
  auto* const from = static_cast<const std::byte*>(in);
  auto* const to = static_cast<std::byte*>(inout);
  if (!gpu::present()) return reduce_on_host(from, to, count, type, operation);
  const engine::Route route({nullptr, count, inout}, {nullptr, count, const_cast<void*>(in)});
  if (route.on_host()) return reduce_on_host(from, to, count, type, operation);
  const int device = route.device(gpu::stream_device(stream));
  check_reached(route.source, device, "in");
  check_reached(route.destination, device, "inout");
  gpu::reduce(from, to, count, type, operation, {device, stream});
}

}  // namespace typewarp
