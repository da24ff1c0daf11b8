// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/engine.hpp>
#include <typewarp/error.hpp>
#include <typewarp/host.hpp>

#include "engine/arguments.hpp"
#include "engine/device/gpu.hpp"
#include "engine/dispatch.hpp"

#include <algorithm>
#include <cstdio>
#include <variant>

namespace typewarp {
namespace {

using engine::check_packed;
using engine::check_range;
using engine::equal_size;
using engine::packed_side;
using engine::stream_size;
using engine::user_side;
using engine::whole_size;

/// Bytes of memory without gaps.
struct MemoryInterval {
  std::uintptr_t begin = 0;
  std::int64_t bytes = 0;
};

MemoryInterval interval_of(const void* packed, ByteRange range) noexcept {
  return {reinterpret_cast<std::uintptr_t>(packed), range.end - range.begin};
}

/// Of bytes `range` of the items. Nothing where these have gaps, within or between them: to tell what such
/// sides have in common takes long.
MemoryInterval interval_of(const void* buffer, std::int64_t count, const Plan& plan,
                           ByteRange range) noexcept {
  const layout::Node& root = *plan.layout().root;
  if (!std::holds_alternative<layout::Run>(root.shape) || (count != 1 && plan.extent() != plan.size()))
    return {};
  const std::int64_t begin = plan.layout().offset + range.begin;
  return {reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(begin),
          range.end - range.begin};
}

/// That neither overlaps the other, unless they are one. `written` is the argument of the first.
void check_apart(std::string_view call, std::string_view written, const MemoryInterval& to,
                 const MemoryInterval& from) {
  const auto within = [](const MemoryInterval& a, const MemoryInterval& b) {  // whether b begins inside of a
    return b.bytes > 0 && b.begin - a.begin < static_cast<std::uintptr_t>(a.bytes);
  };
  if (to.begin == from.begin || !(within(to, from) || within(from, to))) return;
  char text[32];
  std::snprintf(text, sizeof text, "%#zx", static_cast<std::size_t>(to.begin));
  throw InvalidArgument(call, written, text, "must not overlap the bytes that are read");
}

}  // namespace

std::string_view name(MemoryKind kind) noexcept {
  switch (kind) {
    case MemoryKind::host:
      return "host";
    case MemoryKind::pinned:
      return "pinned";
    case MemoryKind::managed:
      return "managed";
    case MemoryKind::device:
      return "device";
  }
  return "unknown";
}

PointerInfo pointer_info(const void* pointer) {
  return gpu::present() ? gpu::pointer_info(pointer) : PointerInfo{};
}

bool built_with_gpu() noexcept { return gpu::built(); }

bool gpu_present() noexcept { return gpu::present(); }

void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed, Stream stream) {
  pack(buffer, count, plan, packed, {0, whole_size("typewarp::pack", "count", count, plan)}, stream);
}

void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed, ByteRange range,
          Stream stream) {
  constexpr std::string_view call = "typewarp::pack";
  check_range(call, range, stream_size(call, "count", count, plan));
  if (range.begin == range.end) return;
  check_packed(call, packed);
  check_apart(call, "packed", interval_of(packed, range), interval_of(buffer, count, plan, range));
  engine::move(call, packed_side(packed, range), user_side(buffer, count, plan), range, {-1, stream});
}

void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan, Stream stream) {
  unpack(packed, buffer, count, plan, {0, whole_size("typewarp::unpack", "count", count, plan)}, stream);
}

void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan, ByteRange range,
            Stream stream) {
  constexpr std::string_view call = "typewarp::unpack";
  check_range(call, range, stream_size(call, "count", count, plan));
  if (range.begin == range.end) return;
  check_packed(call, packed);
  check_apart(call, "buffer", interval_of(buffer, count, plan, range), interval_of(packed, range));
  engine::move(call, user_side(buffer, count, plan), packed_side(packed, range), range, {-1, stream});
}

void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
          std::int64_t destination_count, const Plan& destination_plan, Stream stream) {
  const std::int64_t size =
      equal_size("typewarp::copy", source_count, source_plan, destination_count, destination_plan);
  copy(source, source_count, source_plan, destination, destination_count, destination_plan, {0, size},
       stream);
}

void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
          std::int64_t destination_count, const Plan& destination_plan, ByteRange range, Stream stream) {
  constexpr std::string_view call = "typewarp::copy";
  check_range(call, range,
              std::min(stream_size(call, "source_count", source_count, source_plan),
                       stream_size(call, "destination_count", destination_count, destination_plan)));
  if (range.begin == range.end) return;
  check_apart(call, "destination", interval_of(destination, destination_count, destination_plan, range),
              interval_of(source, source_count, source_plan, range));
  engine::move(call, user_side(destination, destination_count, destination_plan),
               user_side(source, source_count, source_plan), range, {-1, stream});
}

std::uint64_t kernel_launches() noexcept { return gpu::launches(); }

}  // namespace typewarp
