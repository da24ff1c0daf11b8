// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Arithmetic on byte quantities that throws instead of wrapping.
namespace typewarp::datatype {

/// The argument of a public call that an error is to name.
struct Argument {
  std::string_view call;
  std::string_view name;
  std::int64_t value;
  std::int64_t index = -1;  ///< of an entry of an array; -1 where the argument is no array

  /// "count" or "displacements[3]".
  std::string text() const;
};

/// Entry i of the argument `name`.
inline Argument entry(std::string_view call, std::string_view name, const std::vector<std::int64_t>& values,
                      std::size_t i) {
  return {call, name, values[i], static_cast<std::int64_t>(i)};
}

/// Throws InvalidArgument: "<quantity> exceeds 64 bits".
[[noreturn]] void throw_beyond_64_bits(const Argument& argument, std::string_view quantity);
/// Throws InvalidArgument with the argument's own value.
[[noreturn]] void throw_invalid(const Argument& argument, std::string_view rule);

void require_not_negative(const Argument& argument);

inline std::int64_t checked_add(std::int64_t a, std::int64_t b, const Argument& argument,
                                std::string_view quantity) {
  std::int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) throw_beyond_64_bits(argument, quantity);
  return sum;
}

inline std::int64_t checked_subtract(std::int64_t a, std::int64_t b, const Argument& argument,
                                     std::string_view quantity) {
  std::int64_t difference;
  if (__builtin_sub_overflow(a, b, &difference)) throw_beyond_64_bits(argument, quantity);
  return difference;
}

inline std::int64_t checked_multiply(std::int64_t a, std::int64_t b, const Argument& argument,
                                     std::string_view quantity) {
  std::int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) throw_beyond_64_bits(argument, quantity);
  return product;
}

}  // namespace typewarp::datatype
