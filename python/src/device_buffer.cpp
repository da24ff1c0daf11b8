// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/device_buffer.hpp>

#include "bindings.hpp"

#include <optional>

namespace nb = nanobind;
using namespace nb::literals;

namespace typewarp::python {
namespace {

/// Other threads of Python run while it is made and freed: both wait for the device, and so perhaps for a
/// peer.
class Buffer {
 public:
  Buffer(int device, std::int64_t bytes) {
    const nb::gil_scoped_release release;
    memory_.emplace(device, bytes);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    const nb::gil_scoped_release release;
    memory_.reset();
  }

  const DeviceBuffer& memory() const { return *memory_; }

 private:
  std::optional<DeviceBuffer> memory_;
};

/// The bytes, for the libraries of arrays: the buffer lives as long as their arrays.
nb::dict interface_of(const Buffer& buffer) {
  const DeviceBuffer& memory = buffer.memory();
  nb::dict interface;
  interface["shape"] = nb::make_tuple(memory.bytes());
  interface["typestr"] = "|u1";
  interface["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(memory.data()), false);
  interface["version"] = 3;
  return interface;
}

}  // namespace

void bind_device_buffer(nb::module_& module) {
  nb::class_<Buffer>(module, "DeviceBuffer",
                     "Memory of a GPU that other processes of the host can map. Uninitialised.")
      .def(nb::init<int, std::int64_t>(), "device"_a, "nbytes"_a)
      .def_prop_ro("nbytes", [](const Buffer& buffer) { return buffer.memory().bytes(); })
      .def_prop_ro("__cuda_array_interface__", &interface_of);
  module.def("unmap_unused", &unmap_unused, nb::call_guard<nb::gil_scoped_release>(),
             "Unmaps memory of other processes that nothing of this one uses any more.");
}

}  // namespace typewarp::python
