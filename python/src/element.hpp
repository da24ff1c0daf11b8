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
  /// Throw nanobind::value_error that names `x` for elements that are no whole bytes, or Python objects.
  static Element of_dlpack(nanobind::dlpack::dtype type);
  /// Of the buffer protocol: the struct module's characters. Null means unsigned bytes.
  static Element of_format(const char* format, std::int64_t bytes);
  /// Of the array interfaces: "<f8". `members` tells those of a struct, as text; empty for plain bytes.
  static Element of_typestr(std::string_view typestr, std::string_view members = {});

  /// Whether the bytes of a number are in the other order than this machine has.
  bool swapped() const noexcept { return swapped_; }
  /// "int64" and the like, whatever the order of its bytes.
  std::string name_in_order() const;

  std::int64_t bytes() const noexcept { return bytes_; }
  /// NumPy's name, "float64"; ">float64" in the other byte order, "V12" for 12 bytes of which nothing is
  /// known.
  std::string name() const;
  /// Whether bytes of one may be taken as the other: equal types, or as large where one is plain bytes.
  /// Structs, strings and times are equal if their protocol says them in equal words; what speaks another
  /// protocol is not compared.
  bool matches(const Element& other) const noexcept;

 private:
  Element(int code, std::int64_t bytes, bool swapped = false) noexcept
      : code_(code), bytes_(bytes), swapped_(swapped && bytes > 1) {}

  /// Of an opaque type: whether nothing more is known of it.
  bool plain() const noexcept { return format_.empty() && typestr_.empty(); }

  int code_;  ///< DLPack's
  std::int64_t bytes_;
  bool swapped_;
  std::string format_, typestr_;  ///< what the protocol says of an opaque type that is more than bytes
};

}  // namespace typewarp::python
