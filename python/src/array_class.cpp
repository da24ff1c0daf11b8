// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "array_class.hpp"

#include <unordered_map>

namespace nb = nanobind;

namespace typewarp::python {
namespace {

constexpr std::uint32_t known_major = 1;
constexpr std::size_t most_classes = 64;  // which are kept for ever; those of a program are few

const ExchangeApi* exchange_of(nb::handle type) {
  const nb::object capsule = nb::getattr(type, "__dlpack_c_exchange_api__", nb::none());
  if (!PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api")) return nullptr;
  auto api = static_cast<const ExchangeApi*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  while (api != nullptr && api->version.major > known_major) api = api->older;
  return api != nullptr && api->version.major == known_major ? api : nullptr;
}

/// Whether objects have the attributes of their class and no others.
bool tells_all(nb::handle type) {
  std::int64_t offset = 1;
  return nb::try_cast(nb::getattr(type, "__dictoffset__", nb::none()), offset) && offset == 0 &&
         !nb::hasattr(type, "__getattr__");
}

bool has_any(nb::handle type, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (nb::hasattr(type, name)) return true;
  }
  return false;
}

}  // namespace

ArrayClass array_class_of(nb::handle x) {
  static auto& known = *new std::unordered_map<PyObject*, ArrayClass>;  // under Python's global lock
  const nb::handle type = x.type();
  if (const auto found = known.find(type.ptr()); found != known.end()) return found->second;
  ArrayClass asked{exchange_of(type), true, true};
  if (tells_all(type)) {
    asked.may_be_lazy = has_any(type, {"requires_grad", "is_conj", "is_neg"});
    asked.may_be_awaited = has_any(type, {"block_until_ready"});
  }
  if (known.size() < most_classes) known.emplace(type.inc_ref().ptr(), asked);
  return asked;
}

}  // namespace typewarp::python
