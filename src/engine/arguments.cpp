// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/arguments.hpp"

#include "plan/arithmetic.hpp"

#include <typewarp/error.hpp>

#include <limits>
#include <string>

namespace typewarp::engine {

std::int64_t stream_size(std::string_view call, std::string_view count_name, std::int64_t count,
                         const Plan& plan) {
  if (count < 0) throw InvalidArgument(call, count_name, count, "must not be negative");
  std::int64_t size = 0;
  if (__builtin_mul_overflow(count, plan.size(), &size)) return std::numeric_limits<std::int64_t>::max();
  return size;
}

std::int64_t whole_size(std::string_view call, std::string_view count_name, std::int64_t count,
                        const Plan& plan) {
  std::int64_t size = 0;
  if (count >= 0 && __builtin_mul_overflow(count, plan.size(), &size)) {
    throw InvalidArgument(call, count_name, count, "times the size of the plan's datatype must fit 64 bits");
  }
  return stream_size(call, count_name, count, plan);
}

std::int64_t equal_size(std::string_view call, std::int64_t source_count, const Plan& source_plan,
                        std::int64_t destination_count, const Plan& destination_plan) {
  const std::int64_t size = whole_size(call, "source_count", source_count, source_plan);
  const std::int64_t room = whole_size(call, "destination_count", destination_count, destination_plan);
  if (size != room) {
    throw InvalidArgument(
        call, "destination_count", destination_count,
        "must make as many bytes as the source's " + std::to_string(size) + ", not " + std::to_string(room));
  }
  return size;
}

std::int64_t bytes_of_numbers(std::string_view call, std::string_view count_name, std::int64_t count,
                              Named type, Operation operation) {
  if (count < 0) throw InvalidArgument(call, count_name, count, "must not be negative");
  if (!reducible(type, operation)) {
    throw InvalidArgument(call, "type", name(type),
                          "must be one that " + std::string(name(operation)) + " combines");
  }
  std::int64_t bytes = 0;
  plan::visit_number(type, [&]<typename T>(T, plan::NumberKind) { bytes = sizeof(T); });
  if (__builtin_mul_overflow(count, bytes, &bytes))
    throw InvalidArgument(call, count_name, count, "times the size of a number must fit 64 bits");
  return bytes;
}

void check_packed(std::string_view call, const void* packed, std::string_view name) {
  if (packed == nullptr) throw InvalidArgument(call, name, "null", "must not be null");
}

void check_time_limit(std::string_view call, std::chrono::milliseconds limit) {
  if (limit.count() < 0)
    throw InvalidArgument(call, "options.time_limit", limit.count(), "must not be negative");
  using Clock = std::chrono::steady_clock;
  constexpr auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::duration::max());
  if (limit <= longest) return;
  throw InvalidArgument(call, "options.time_limit", limit.count(),
                        "must not be more than " + std::to_string(longest.count()) + ", some 292 years");
}

gpu::Side user_side(const void* buffer, std::int64_t count, const Plan& plan) {
  return {&plan, count, const_cast<void*>(buffer)};
}

gpu::Side packed_side(const void* packed, ByteRange range) {
  return {nullptr, range.end - range.begin, const_cast<void*>(packed)};
}

}  // namespace typewarp::engine
