// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace typewarp::python {

/// The type of an array's elements, as far as an array tells it. Elements are moved byte by byte, so all that
/// counts is their size; the rest is there to refuse copies that would have to convert.
class Element {
 public:
  // Throw nanobind::value_error that names `x` for elements that are no whole bytes, of a type that is not
  // known, or Python objects.

  /// Lanes of fewer than 8 bits follow each other within an element's bytes, unless each is `padded` to
  /// bytes.
  static Element of_dlpack(nanobind::dlpack::dtype type, bool padded = false);
  /// Of the buffer protocol: the struct module's characters. Null means unsigned bytes.
  static Element of_format(const char* format, std::int64_t bytes);
  /// Of the array interfaces: "<f8". `members` are words_of_descr() of a struct; empty for plain bytes.
  static Element of_typestr(std::string_view typestr, std::string members = {});

  /// Whether the bytes of a number are in the other order than this machine has.
  bool swapped() const noexcept { return swapped_; }
  /// "int64" and the like, whatever the order of its bytes.
  std::string name_in_order() const;

  std::int64_t bytes() const noexcept { return bytes_; }
  /// NumPy's name, "float64"; ">float64" in the other byte order, "V12" for 12 bytes of which nothing is
  /// known.
  std::string name() const;
  /// The same, with the members of a struct, the unit of a time, and what else "V12" leaves out.
  std::string meaning() const;
  /// Whether bytes of one may be taken as the other: equal types, or as large where one is plain bytes.
  /// Structs are equal if members of equal names and types lie at equal places; titles do not count.
  bool matches(const Element& other) const noexcept;

 private:
  Element(int code, std::int64_t bytes, bool swapped = false) noexcept
      : code_(code), bytes_(bytes), swapped_(swapped && bytes > 1) {}

  int code_;  ///< DLPack's
  std::int64_t bytes_;
  bool swapped_;
  std::string words_;  ///< of an opaque type that is more than bytes, and of numbers of fewer than 8 bits
};

}  // namespace typewarp::python
