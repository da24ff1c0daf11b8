// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "array.hpp"

#include <string>

namespace nb = nanobind;

namespace typewarp::python {
namespace {

[[noreturn]] void malformed(const char* name, const char* what) {
  throw nb::value_error(("x: its " + std::string(name) + " has no proper '" + what + "'").c_str());
}

template <typename T>
T entry(const nb::dict& interface, const char* name, const char* key) {
  T value;
  if (!interface.contains(key) || !nb::try_cast(interface[key], value)) malformed(name, key);
  return value;
}

}  // namespace

std::optional<Array> array_of_interface(nb::handle x, const char* name, Place place) {
  nb::object attribute = nb::getattr(x, name, nb::none());
  nb::dict interface;
  if (attribute.is_none()) return std::nullopt;
  if (!nb::try_cast(attribute, interface)) malformed(name, "shape");
  const auto shape = entry<nb::tuple>(interface, name, "shape");
  const auto data = entry<nb::tuple>(interface, name, "data");
  Array array;
  array.element = Element::of_typestr(entry<nb::str>(interface, name, "typestr").c_str());
  if (array.element.bytes() == 0) malformed(name, "typestr");
  array.place = place;
  std::uintptr_t address = 0;
  if (data.size() != 2 || !nb::try_cast(data[0], address)) malformed(name, "data");
  array.data = reinterpret_cast<std::byte*>(address);
  array.readonly = nb::cast<bool>(nb::bool_(data[1]));
  for (const nb::handle size : shape) array.dimensions.push_back({nb::cast<std::int64_t>(size), 0});
  make_dense(array.dimensions, array.element.bytes());
  if (nb::tuple strides; interface.contains("strides") && nb::try_cast(interface["strides"], strides)) {
    if (strides.size() != shape.size()) malformed(name, "strides");
    for (std::size_t d = 0; d < strides.size(); ++d)
      array.dimensions[d].stride = nb::cast<std::int64_t>(strides[d]);
  }
  if (interface.contains("mask") && !interface["mask"].is_none()) {
    throw nb::value_error("x: is a masked array, of which the mask would be lost");
  }
  if (std::uintptr_t stream = 0; interface.contains("stream") && nb::try_cast(interface["stream"], stream)) {
    array.stream = stream;
  }
  return array;
}

}  // namespace typewarp::python
