// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "array.hpp"

#include <algorithm>
#include <string>

namespace nb = nanobind;

namespace typewarp::python {
namespace {

std::optional<Array> array_by_protocol(nb::handle x) {
  if (auto array = array_of_buffer(x)) return array;
  if (auto array = array_of_dlpack(x)) return array;
  if (auto array = array_of_interface(x, "__cuda_array_interface__", Place::device)) return array;
  return array_of_interface(x, "__array_interface__", Place::host);
}

}  // namespace

void make_dense(std::vector<Dimension>& dimensions, std::int64_t element_bytes) {
  std::int64_t stride = element_bytes;
  for (std::size_t d = dimensions.size(); d-- > 0;) {
    dimensions[d].stride = stride;
    // A dimension without indices has no distances either.
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(dimensions[d].size, 1), &stride)) {
      throw nb::value_error("x: has more bytes than 64 bits count");
    }
  }
}

std::pair<std::int64_t, std::int64_t> span_of(const std::vector<Dimension>& dimensions,
                                              std::int64_t element_bytes) {
  std::int64_t low = 0, high = element_bytes;
  for (const Dimension& d : dimensions) {
    std::int64_t distance = 0;
    std::int64_t& end = d.stride < 0 ? low : high;
    if (__builtin_mul_overflow(d.size - 1, d.stride, &distance) ||
        __builtin_add_overflow(end, distance, &end)) {
      throw nb::value_error("x: spans more bytes than 64 bits count");
    }
  }
  return {low, high};
}

nb::builtin_exception masked_refused() {
  return nb::value_error("x: is a masked array, of which the mask would be lost");
}

Array array_of(nb::handle x) {
  if (auto array = array_by_protocol(x)) {
    if (array->element.bytes() < 1) throw nb::value_error("x: must have elements of at least one byte");
    return *std::move(array);
  }
  const std::string type = nb::str(x.type().attr("__name__")).c_str();
  throw nb::type_error(
      ("x: " + type +
       " is not an array: it has neither the buffer protocol nor DLPack nor an array interface")
          .c_str());
}

}  // namespace typewarp::python
