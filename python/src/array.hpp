// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "element.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace typewarp::python {

struct ExchangeApi;

/// What can be known of an array's place without asking a GPU's driver.
enum class Place : std::uint8_t { host, pinned, managed, device };

/// One dimension: how many indices, and the bytes from one to the next.
struct Dimension {
  std::int64_t size, stride;

  bool operator==(const Dimension&) const = default;
};

/// What a Python object says of its memory, which is not read.
struct Array {
  std::byte* data = nullptr;  ///< the element of indices 0
  std::vector<Dimension> dimensions;
  Element element = Element::of_format(nullptr, 1);
  bool readonly = false;
  Place place = Place::host;
  int device = -1;  ///< of a device's memory; -1 where the array does not tell
  /// The stream that the array names as the one of the work on it.
  std::optional<std::uintptr_t> stream;
  const ExchangeApi* exchange = nullptr;  ///< of the array's library, if it has one
  /// What the library handed out, which keeps the memory alive; null if the object itself does.
  std::shared_ptr<const void> memory;
  PyObject* held =
      nullptr;  ///< the object that `memory` owns a reference to, if it does; for Python's garbage collector
};

/// The same, which keeps no memory alive: for who keeps the array's own view.
inline Array without_memory(Array array) {
  array.memory.reset();
  array.held = nullptr;
  return array;
}

// Of an object that speaks one protocol. Empty if it does not speak it. Throw nanobind::value_error that
// names `x` for arrays that cannot be moved, and what the object itself throws.

std::optional<Array> array_of_buffer(nanobind::handle x);
std::optional<Array> array_of_dlpack(nanobind::handle x);
/// `name` is __array_interface__ or __cuda_array_interface__.
std::optional<Array> array_of_interface(nanobind::handle x, const char* name, Place place);

/// By the first protocol that the object speaks. Throws nanobind::type_error if there is none, and
/// nanobind::value_error for elements of no bytes.
Array array_of(nanobind::handle x);

nanobind::builtin_exception masked_refused();
nanobind::builtin_exception objects_refused();

/// From the lowest byte to behind the highest of elements of so many bytes, from that of indices 0 on. No
/// dimension is empty. Throws nanobind::value_error beyond 64 bits.
std::pair<std::int64_t, std::int64_t> span_of(const std::vector<Dimension>& dimensions,
                                              std::int64_t element_bytes);

/// Strides of an array without gaps, the last dimension fastest. Throws nanobind::value_error beyond 64 bits.
void make_dense(std::vector<Dimension>& dimensions, std::int64_t element_bytes);

}  // namespace typewarp::python
