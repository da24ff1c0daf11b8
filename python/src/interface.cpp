// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "array.hpp"
#include "members.hpp"

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

std::int64_t number(nb::handle value, const char* name, const char* key) {
  std::int64_t number = 0;
  if (!nb::try_cast(value, number)) malformed(name, key);
  return number;
}

/// Whether a struct has Python objects in it. `type` is a typestr, or a list of (name, type, ...).
bool has_objects(nb::handle type) {
  if (nb::isinstance<nb::str>(type)) {
    const std::string_view typestr = nb::borrow<nb::str>(type).c_str();
    return typestr.size() > 1 && typestr[1] == 'O';
  }
  if (!nb::isinstance<nb::list>(type)) return false;
  for (const nb::handle member : nb::borrow<nb::list>(type)) {
    if (nb::isinstance<nb::tuple>(member) && nb::len(member) > 1 && has_objects(member[1])) return true;
  }
  return false;
}

/// What an array interface says of a struct's members, in words; empty for plain bytes.
std::string members_of(nb::handle x, const nb::dict& interface) {
  // NumPy tells no members where they overlap or stand in another order, but whether there are objects.
  const nb::object all = nb::getattr(nb::getattr(x, "dtype", nb::none()), "hasobject", nb::none());
  const nb::object members = interface.contains("descr") ? interface["descr"] : nb::none();
  if (all.ptr() == Py_True || has_objects(members)) throw objects_refused();
  if (!nb::isinstance<nb::list>(members)) return {};
  return words_of_descr(members);
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
  array.element =
      Element::of_typestr(entry<nb::str>(interface, name, "typestr").c_str(), members_of(x, interface));
  array.place = place;
  std::uintptr_t address = 0;
  if (data.size() != 2 || !nb::try_cast(data[0], address)) malformed(name, "data");
  array.data = reinterpret_cast<std::byte*>(address);
  array.readonly = nb::cast<bool>(nb::bool_(data[1]));
  for (const nb::handle size : shape) array.dimensions.push_back({number(size, name, "shape"), 0});
  make_dense(array.dimensions, array.element.bytes());
  if (interface.contains("strides") && !interface["strides"].is_none()) {
    const auto strides = entry<nb::tuple>(interface, name, "strides");
    if (strides.size() != shape.size()) malformed(name, "strides");
    for (std::size_t d = 0; d < strides.size(); ++d)
      array.dimensions[d].stride = number(strides[d], name, "strides");
  }
  if (interface.contains("mask") && !interface["mask"].is_none()) {
    throw masked_refused();
  }
  if (std::uintptr_t stream = 0; interface.contains("stream") && nb::try_cast(interface["stream"], stream)) {
    array.stream = stream;
  }
  return array;
}

}  // namespace typewarp::python
