// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "capi/result.hpp"

#include <typewarp/plan.h>
#include <typewarp/plan.hpp>
#include <typewarp/ranks.h>
#include <typewarp/ranks.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// What a handle stands for is its `value`; `name` is what calls name the handle, unless they say otherwise.

struct tw_datatype {
  static constexpr const char* name = "datatype";
  typewarp::Datatype value;
};

struct tw_plan {
  static constexpr const char* name = "plan";
  typewarp::Plan value;
};

struct tw_ranks {
  static constexpr const char* name = "ranks";
  typewarp::Ranks value;
};

/// Conversions between the types of C and those of C++.
namespace typewarp::capi {

/// Stores a new handle to what `make(call)` returns at `place`.
template <class Handle, class Make>
tw_result create(const char* call, Handle** place, Make make) noexcept {
  return guarded(call, [&] {
    require(place, call, Handle::name);
    *place = new Handle{make(call)};
  });
}

/// What a handle stands for. Throws InvalidArgument if it is null.
template <class Handle>
auto& value_of(const char* call, Handle* handle, std::string_view argument = Handle::name) {
  require(handle, call, argument);
  return handle->value;
}

/// Calls `act`, a method or a function, for what a handle stands for.
template <class Handle, class Act, class... Given>
tw_result on(const char* call, Handle* handle, Act act, Given... given) noexcept {
  return guarded(call, [&] { std::invoke(act, value_of(call, handle), given...); });
}

/// Stores at `place`, which is called `argument`, whether `holds`, a method, is true: 1 or 0.
template <class Handle, class Holds>
tw_result answer(const char* call, Handle* handle, Holds holds, int* place, const char* argument) noexcept {
  return guarded(call, [&] {
    auto& value = value_of(call, handle);
    require(place, call, argument);
    *place = std::invoke(holds, value) ? 1 : 0;
  });
}

/// Converts a constant of the C header, which has the value of the enumerator.
template <class Choice>
Choice choice(const char* call, std::string_view argument, int value, Choice last) {
  if (value >= 0 && value <= static_cast<int>(last)) return static_cast<Choice>(value);
  throw InvalidArgument(call, argument, value, "must be one of the named values");
}
Named named_of(const char* call, std::string_view argument, int value);

/// Whether a constant of C has the value of the enumerator.
template <class Choice>
constexpr bool is(Choice choice, int value) {
  return static_cast<int>(choice) == value;
}

/// `count` as a size. Throws InvalidArgument if it is negative, or positive and `first` null.
std::size_t size_of(const char* call, std::string_view count_name, std::int64_t count, const void* first,
                    std::string_view argument);

/// An empty list if `elements` is null.
template <class T, class Element>
std::vector<T> list(const Element* elements, std::size_t count) {
  return elements == nullptr ? std::vector<T>() : std::vector<T>(elements, elements + count);
}

/// The plan of an array's entry, called "pieces[3].plan".
const Plan& plan_of(const char* call, std::string_view argument, std::size_t index, const tw_plan* plan);

/// Applies `make` to each entry of an array and its index.
template <class Entry, class Make>
auto each_of(const char* call, std::string_view count_name, std::int64_t count, const Entry* entries,
             std::string_view argument, Make make) {
  std::vector<decltype(make(*entries, std::size_t{0}))> made;
  const std::size_t size = size_of(call, count_name, count, entries, argument);
  made.reserve(size);
  for (std::size_t i = 0; i < size; ++i) made.push_back(make(entries[i], i));
  return made;
}
/// The parts of an exchange, with their peers if parts have some.
template <class Made, class Given>
std::vector<Made> parts_of(const char* call, const char* count_name, int count, const char* argument,
                           const Given* parts) {
  return each_of(call, count_name, count, parts, argument, [&](const Given& part, std::size_t i) {
    const Plan& plan = plan_of(call, argument, i, part.plan);
    if constexpr (requires { part.peer; }) {
      return Made{part.buffer, part.count, plan, part.peer};
    } else {
      return Made{part.buffer, part.count, plan};
    }
  });
}
/// "pieces[3]"
std::string entry(std::string_view argument, std::size_t index);

/// `range`, or all bytes if that is null.
ByteRange range_of(const char* call, const tw_byte_range* range, std::int64_t count, const Plan& plan);
/// Of a copy, both sides of which hold equally many bytes if it is all.
ByteRange range_of(const char* call, const tw_byte_range* range, std::int64_t source_count,
                   const Plan& source_plan, std::int64_t destination_count, const Plan& destination_plan);

/// Stores text as tw_datatype_to_string() says.
void store(const char* call, const std::string& words, char* text, std::int64_t capacity,
           std::int64_t* length);

/// Stores `value` at `place`, unless that is null.
template <class Value, class Place>
void store(const Value& value, Place* place) {
  if (place != nullptr) *place = static_cast<Place>(value);
}

}  // namespace typewarp::capi
