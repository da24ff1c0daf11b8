// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/host_device.hpp"

#include <typewarp/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

/// Numbers of named types in C++.
namespace typewarp::plan {

/// Calls visit(T(), n), where a number of `type` is n numbers of T, and returns true; false for other types.
template <typename Visit>
bool visit_arithmetic(Named type, Visit&& visit) {
  switch (type) {
    case Named::signed_char:
    case Named::int8:
    case Named::integer1:
      return visit(std::int8_t(), 1), true;
    case Named::unsigned_char:
    case Named::uint8:
      return visit(std::uint8_t(), 1), true;
    case Named::short_:
    case Named::int16:
    case Named::integer2:
      return visit(std::int16_t(), 1), true;
    case Named::unsigned_short:
    case Named::uint16:
      return visit(std::uint16_t(), 1), true;
    case Named::int_:
    case Named::int32:
    case Named::integer:
    case Named::integer4:
      return visit(std::int32_t(), 1), true;
    case Named::unsigned_int:
    case Named::uint32:
      return visit(std::uint32_t(), 1), true;
    case Named::long_:
    case Named::long_long:
    case Named::int64:
    case Named::integer8:
    case Named::aint:
    case Named::count:
    case Named::offset:
      return visit(std::int64_t(), 1), true;
    case Named::unsigned_long:
    case Named::unsigned_long_long:
    case Named::uint64:
      return visit(std::uint64_t(), 1), true;
    case Named::float_:
    case Named::real:
    case Named::real4:
      return visit(float(), 1), true;
    case Named::double_:
    case Named::double_precision:
    case Named::real8:
      return visit(double(), 1), true;
    case Named::complex_float:
    case Named::cxx_complex_float:
    case Named::complex:
    case Named::complex8:
      return visit(float(), 2), true;
    case Named::complex_double:
    case Named::cxx_complex_double:
    case Named::double_complex:
    case Named::complex16:
      return visit(double(), 2), true;
    default:
      return false;
  }
}

template <typename T>
TYPEWARP_HD T combined(Operation operation, T a, T b) {
  switch (operation) {
    case Operation::min:
      return b < a ? b : a;
    case Operation::max:
      return a < b ? b : a;
    default:
      return static_cast<T>(a + b);
  }
}

/// Number `i` from `bytes` on, wherever that is.
template <typename T>
TYPEWARP_HD T load(const std::byte* bytes, std::int64_t i) {
  T value;
  memcpy(&value, bytes + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}
template <typename T>
TYPEWARP_HD void store(std::byte* bytes, std::int64_t i, T value) {
  memcpy(bytes + i * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
}

}  // namespace typewarp::plan
