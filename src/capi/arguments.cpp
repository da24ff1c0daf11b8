// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "capi/arguments.hpp"

#include "engine/arguments.hpp"

namespace typewarp::capi {

Named named_of(const char* call, std::string_view argument, int value) {
  return choice(call, argument, value, Named::two_integer);
}

std::size_t size_of(const char* call, std::string_view count_name, std::int64_t count, const void* first,
                    std::string_view argument) {
  if (count < 0) throw InvalidArgument(call, count_name, count, "must not be negative");
  if (count > 0) require(first, call, argument);
  return static_cast<std::size_t>(count);
}

std::string entry(std::string_view argument, std::size_t index) {
  return std::string(argument) + "[" + std::to_string(index) + "]";
}

const Plan& plan_of(const char* call, std::string_view argument, std::size_t index, const tw_plan* plan) {
  if (plan == nullptr) require(nullptr, call, entry(argument, index) + ".plan");
  return plan->value;
}

ByteRange range_of(const char* call, const tw_byte_range* range, std::int64_t count, const Plan& plan) {
  if (range != nullptr) return {range->begin, range->end};
  return {0, engine::whole_size(call, "count", count, plan)};
}

ByteRange range_of(const char* call, const tw_byte_range* range, std::int64_t source_count,
                   const Plan& source_plan, std::int64_t destination_count, const Plan& destination_plan) {
  if (range != nullptr) return {range->begin, range->end};
  return {0, engine::equal_size(call, source_count, source_plan, destination_count, destination_plan)};
}

void store(const char* call, const std::string& words, char* text, std::int64_t capacity,
           std::int64_t* length) {
  const std::size_t room = size_of(call, "capacity", capacity, text, "text");
  if (room > 0) text[words.copy(text, room - 1)] = '\0';
  store(words.size(), length);
}

}  // namespace typewarp::capi
