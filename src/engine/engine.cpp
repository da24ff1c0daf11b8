// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/engine.hpp>
#include <typewarp/host.hpp>

#include "engine/cuda/cuda.hpp"
#include "engine/dispatch.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace typewarp {
namespace {

/// Bytes of `count` items; those beyond 64 bits saturate, since no range can reach there.
std::int64_t stream_size(std::string_view call, std::string_view count_name, std::int64_t count,
                         const Plan& plan) {
  if (count < 0) throw InvalidArgument(call, count_name, count, "must not be negative");
  std::int64_t size = 0;
  if (__builtin_mul_overflow(count, plan.size(), &size)) return std::numeric_limits<std::int64_t>::max();
  return size;
}

/// All bytes of `count` items, for the calls that move them all.
std::int64_t whole_size(std::string_view call, std::string_view count_name, std::int64_t count,
                        const Plan& plan) {
  std::int64_t size = 0;
  if (count >= 0 && __builtin_mul_overflow(count, plan.size(), &size)) {
    throw InvalidArgument(call, count_name, count, "times the size of the plan's datatype must fit 64 bits");
  }
  return stream_size(call, count_name, count, plan);
}

void check_range(std::string_view call, ByteRange range, std::int64_t size) {
  const auto text = [](ByteRange r) {
    return "[" + std::to_string(r.begin) + ", " + std::to_string(r.end) + ")";
  };
  if (range.begin < 0 || range.begin > range.end || range.end > size) {
    throw InvalidArgument(call, "range", text(range), "must lie in " + text({0, size}));
  }
}

void check_packed(std::string_view call, const void* packed) {
  if (packed == nullptr) throw InvalidArgument(call, "packed", "null", "must not be null");
}

/// The engines read a source through the same handle as they write a destination, and never write to it.
cuda::Side user_side(const void* buffer, std::int64_t count, const Plan& plan) {
  return {&plan, count, const_cast<void*>(buffer)};
}

cuda::Side packed_side(const void* packed, ByteRange range) {
  return {nullptr, range.end - range.begin, const_cast<void*>(packed)};
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
  return cuda::present() ? cuda::pointer_info(pointer) : PointerInfo{};
}

bool built_with_cuda() noexcept { return cuda::built(); }

bool gpu_present() noexcept { return cuda::present(); }

void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed, Stream stream) {
  pack(buffer, count, plan, packed, {0, whole_size("typewarp::pack", "count", count, plan)}, stream);
}

void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed, ByteRange range,
          Stream stream) {
  constexpr std::string_view call = "typewarp::pack";
  check_range(call, range, stream_size(call, "count", count, plan));
  if (range.begin == range.end) return;
  check_packed(call, packed);
  engine::move(call, packed_side(packed, range), user_side(buffer, count, plan), range, stream);
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
  engine::move(call, user_side(buffer, count, plan), packed_side(packed, range), range, stream);
}

void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
          std::int64_t destination_count, const Plan& destination_plan, Stream stream) {
  constexpr std::string_view call = "typewarp::copy";
  const std::int64_t size = whole_size(call, "source_count", source_count, source_plan);
  const std::int64_t room = whole_size(call, "destination_count", destination_count, destination_plan);
  if (size != room) {
    throw InvalidArgument(
        call, "destination_count", destination_count,
        "must make as many bytes as the source's " + std::to_string(size) + ", not " + std::to_string(room));
  }
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
  engine::move(call, user_side(destination, destination_count, destination_plan),
               user_side(source, source_count, source_plan), range, stream);
}

}  // namespace typewarp
