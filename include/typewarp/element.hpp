// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <complex>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace typewarp {

namespace element {

template <typename T>
inline constexpr bool is_complex = false;
template <typename T>
inline constexpr bool is_complex<std::complex<T>> = std::floating_point<T>;

template <typename T>
constexpr Named named() noexcept {
  if constexpr (std::same_as<T, char>) return Named::char_;
  if constexpr (std::same_as<T, signed char>) return Named::signed_char;
  if constexpr (std::same_as<T, unsigned char>) return Named::unsigned_char;
  if constexpr (std::same_as<T, std::byte>) return Named::byte;
  if constexpr (std::same_as<T, bool>) return Named::cxx_bool;
  if constexpr (std::same_as<T, wchar_t>) return Named::wchar;
  if constexpr (std::same_as<T, char8_t>) return Named::uint8;
  if constexpr (std::same_as<T, char16_t>) return Named::uint16;
  if constexpr (std::same_as<T, char32_t>) return Named::uint32;
  if constexpr (std::same_as<T, short>) return Named::short_;
  if constexpr (std::same_as<T, unsigned short>) return Named::unsigned_short;
  if constexpr (std::same_as<T, int>) return Named::int_;
  if constexpr (std::same_as<T, unsigned>) return Named::unsigned_int;
  if constexpr (std::same_as<T, long>) return Named::long_;
  if constexpr (std::same_as<T, unsigned long>) return Named::unsigned_long;
  if constexpr (std::same_as<T, long long>) return Named::long_long;
  if constexpr (std::same_as<T, unsigned long long>) return Named::unsigned_long_long;
  if constexpr (std::same_as<T, float>) return Named::float_;
  if constexpr (std::same_as<T, double>) return Named::double_;
  if constexpr (std::same_as<T, long double>) return Named::long_double;
  if constexpr (std::same_as<T, std::complex<float>>) return Named::cxx_complex_float;
  if constexpr (std::same_as<T, std::complex<double>>) return Named::cxx_complex_double;
  if constexpr (std::same_as<T, std::complex<long double>>) return Named::cxx_complex_long_double;
}

}  // namespace element

/// C++ types that have a named type: the arithmetic ones of the standard, std::complex of these, std::byte.
template <typename T>
concept Element = std::is_arithmetic_v<T> || std::same_as<std::remove_cv_t<T>, std::byte> ||
                  element::is_complex<std::remove_cv_t<T>>;

/// The named type of a C++ type.
template <Element T>
inline constexpr Named named_of = element::named<std::remove_cv_t<T>>();

/// The datatype of a C++ type: its named type if it has one, else as many bytes.
template <typename T>
Datatype element_of() {
  static_assert(std::is_trivially_copyable_v<T>, "elements are moved byte by byte");
  if constexpr (Element<T>) {
    return named_of<T>;
  } else {
    return contiguous(static_cast<std::int64_t>(sizeof(T)), Named::byte);
  }
}

}  // namespace typewarp
