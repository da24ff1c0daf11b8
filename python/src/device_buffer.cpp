// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/device_buffer.hpp>

#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace typewarp::python {
namespace {

/// The bytes, for the libraries of arrays: the buffer lives as long as their arrays.
nb::dict interface_of(const DeviceBuffer& buffer) {
  nb::dict interface;
  interface["shape"] = nb::make_tuple(buffer.bytes());
  interface["typestr"] = "|u1";
  interface["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(buffer.data()), false);
  interface["version"] = 3;
  return interface;
}

}  // namespace

void bind_device_buffer(nb::module_& module) {
  nb::class_<DeviceBuffer>(module, "DeviceBuffer",
                           "Memory of a GPU that other processes of the host can map. Uninitialised.")
      .def(nb::init<int, std::int64_t>(), "device"_a, "nbytes"_a)
      .def_prop_ro("nbytes", &DeviceBuffer::bytes)
      .def_prop_ro("__cuda_array_interface__", &interface_of);
}

}  // namespace typewarp::python
