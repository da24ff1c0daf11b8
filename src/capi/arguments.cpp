// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "capi/arguments.hpp"

#include <algorithm>

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

const Datatype& datatype_of(const char* call, std::string_view argument, const tw_datatype* datatype) {
  require(datatype, call, argument);
  return datatype->value;
}

const Plan& plan_of(const char* call, std::string_view argument, const tw_plan* plan) {
  require(plan, call, argument);
  return plan->value;
}

void store(const char* call, const std::string& words, char* text, std::int64_t capacity,
           std::int64_t* length) {
  const std::size_t room = size_of(call, "capacity", capacity, text, "text");
  if (room > 0) text[words.copy(text, room - 1)] = '\0';
  store(words.size(), length);
}

}  // namespace typewarp::capi
