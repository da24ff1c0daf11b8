// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/host_device.hpp"

#include <typewarp/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// Numbers of named types in C++, and what MPI's operations make of them.
namespace typewarp::plan {

/// What MPI's operations distinguish (MPI 5.0, section 6.9.2). Those on C's integers are more than those on
/// Fortran's, and on addresses, counts and offsets.
enum class NumberKind : std::uint8_t { c_integer, integer, floating, complex, logical, byte, pair };

template <typename T>
struct Complex {
  T real, imaginary;
};
/// True unless 0. What is combined is 0 or 1.
template <typename T>
struct Logical {
  T value;
};
struct Byte {
  std::uint8_t bits;
};
template <typename T, typename Place>
struct Pair {
  T value;
  Place place;
};

/// Calls visit(T(), kind), where numbers of `type` are those of T, and returns true; false for other types.
template <typename Visit>
bool visit_number(Named type, Visit&& visit) {
  switch (type) {
    case Named::signed_char:
    case Named::int8:
      return visit(std::int8_t(), NumberKind::c_integer), true;
    case Named::unsigned_char:
    case Named::uint8:
      return visit(std::uint8_t(), NumberKind::c_integer), true;
    case Named::short_:
    case Named::int16:
      return visit(std::int16_t(), NumberKind::c_integer), true;
    case Named::unsigned_short:
    case Named::uint16:
      return visit(std::uint16_t(), NumberKind::c_integer), true;
    case Named::int_:
    case Named::int32:
      return visit(std::int32_t(), NumberKind::c_integer), true;
    case Named::unsigned_int:
    case Named::uint32:
      return visit(std::uint32_t(), NumberKind::c_integer), true;
    case Named::long_:
    case Named::long_long:
    case Named::int64:
      return visit(std::int64_t(), NumberKind::c_integer), true;
    case Named::unsigned_long:
    case Named::unsigned_long_long:
    case Named::uint64:
      return visit(std::uint64_t(), NumberKind::c_integer), true;
    case Named::integer1:
      return visit(std::int8_t(), NumberKind::integer), true;
    case Named::integer2:
      return visit(std::int16_t(), NumberKind::integer), true;
    case Named::integer:
    case Named::integer4:
      return visit(std::int32_t(), NumberKind::integer), true;
    case Named::integer8:
    case Named::aint:
    case Named::count:
    case Named::offset:
      return visit(std::int64_t(), NumberKind::integer), true;
    case Named::float_:
    case Named::real:
    case Named::real4:
      return visit(float(), NumberKind::floating), true;
    case Named::double_:
    case Named::double_precision:
    case Named::real8:
      return visit(double(), NumberKind::floating), true;
    case Named::complex_float:
    case Named::cxx_complex_float:
    case Named::complex:
    case Named::complex8:
      return visit(Complex<float>(), NumberKind::complex), true;
    case Named::complex_double:
    case Named::cxx_complex_double:
    case Named::double_complex:
    case Named::complex16:
      return visit(Complex<double>(), NumberKind::complex), true;
    case Named::c_bool:
    case Named::cxx_bool:
    case Named::logical1:
      return visit(Logical<std::uint8_t>(), NumberKind::logical), true;
    case Named::logical2:
      return visit(Logical<std::uint16_t>(), NumberKind::logical), true;
    case Named::logical:
    case Named::logical4:
      return visit(Logical<std::uint32_t>(), NumberKind::logical), true;
    case Named::logical8:
      return visit(Logical<std::uint64_t>(), NumberKind::logical), true;
    case Named::byte:
      return visit(Byte(), NumberKind::byte), true;
    case Named::float_int:
      return visit(Pair<float, int>(), NumberKind::pair), true;
    case Named::double_int:
      return visit(Pair<double, int>(), NumberKind::pair), true;
    case Named::long_int:
      return visit(Pair<long, int>(), NumberKind::pair), true;
    case Named::short_int:
      return visit(Pair<short, int>(), NumberKind::pair), true;
    case Named::two_int:
    case Named::two_integer:
      return visit(Pair<int, int>(), NumberKind::pair), true;
    case Named::two_real:
      return visit(Pair<float, float>(), NumberKind::pair), true;
    case Named::two_double_precision:
      return visit(Pair<double, double>(), NumberKind::pair), true;
    default:
      return false;
  }
}

template <typename T>
TYPEWARP_HD bool truth(Operation operation, T a, T b) {
  if (operation == Operation::land) return a != 0 && b != 0;
  if (operation == Operation::lor) return a != 0 || b != 0;
  return (a != 0) != (b != 0);
}

template <typename T>
TYPEWARP_HD T bits(Operation operation, T a, T b) {
  if (operation == Operation::band) return static_cast<T>(a & b);
  if (operation == Operation::bor) return static_cast<T>(a | b);
  return static_cast<T>(a ^ b);
}

/// Sums and products of integers that overflow keep the lower bits.
template <typename T>
TYPEWARP_HD T combined_integers(Operation operation, T a, T b) {
  using Wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
  switch (operation) {
    case Operation::sum:
      return static_cast<T>(static_cast<Wrapping>(a) + static_cast<Wrapping>(b));
    case Operation::prod:
      return static_cast<T>(static_cast<Wrapping>(a) * static_cast<Wrapping>(b));
    case Operation::land:
    case Operation::lor:
    case Operation::lxor:
      return static_cast<T>(truth(operation, a, b));
    default:
      return bits(operation, a, b);
  }
}

template <typename T>
TYPEWARP_HD T combined(Operation operation, T a, T b) {
  if (operation == Operation::min) return b < a ? b : a;
  if (operation == Operation::max) return a < b ? b : a;
  if constexpr (std::is_integral_v<T>) return combined_integers(operation, a, b);
  if constexpr (!std::is_integral_v<T>) return operation == Operation::sum ? a + b : a * b;
}

template <typename T>
TYPEWARP_HD Complex<T> combined(Operation operation, Complex<T> a, Complex<T> b) {
  if (operation == Operation::sum) return {a.real + b.real, a.imaginary + b.imaginary};
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

template <typename T>
TYPEWARP_HD Logical<T> combined(Operation operation, Logical<T> a, Logical<T> b) {
  return {static_cast<T>(truth(operation, a.value, b.value))};
}

TYPEWARP_HD inline Byte combined(Operation operation, Byte a, Byte b) {
  return {bits(operation, a.bits, b.bits)};
}

/// Of equal values, the lesser place.
template <typename T, typename Place>
TYPEWARP_HD Pair<T, Place> combined(Operation operation, Pair<T, Place> a, Pair<T, Place> b) {
  const bool less = operation == Operation::minloc ? a.value < b.value : b.value < a.value;
  const bool greater = operation == Operation::minloc ? b.value < a.value : a.value < b.value;
  if (less) return a;
  if (greater) return b;
  return {b.value, b.place < a.place ? b.place : a.place};
}

template <typename T>
TYPEWARP_HD void assign(T& to, T number) {
  to = number;
}
/// Leaves what lies between the two.
template <typename T, typename Place>
TYPEWARP_HD void assign(Pair<T, Place>& to, Pair<T, Place> number) {
  to.value = number.value;
  to.place = number.place;
}

/// inout[i] = in[i] op inout[i], wherever these lie.
template <typename T>
TYPEWARP_HD void combine(Operation operation, const std::byte* in, std::byte* inout, std::int64_t i) {
  const std::int64_t place = i * static_cast<std::int64_t>(sizeof(T));
  T operand, number;
  memcpy(&operand, in + place, sizeof(T));
  memcpy(&number, inout + place, sizeof(T));
  assign(number, combined(operation, operand, number));
  memcpy(inout + place, &number, sizeof(T));
}

}  // namespace typewarp::plan
