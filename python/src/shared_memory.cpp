// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"
#include "operand.hpp"
#include "plans.hpp"

#include <typewarp/device_buffer.hpp>
#include <typewarp/registered_memory.hpp>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>

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

/// Keeps the views, which keep the memory.
class Registered {
 public:
  Registered(const std::vector<View*>& views, int signals, double time_limit) {
    std::vector<MemoryRange> ranges;
    for (std::size_t i = 0; i < views.size(); ++i) {
      const View& view = *views[i];
      const std::string name = "arrays[" + std::to_string(i) + "]";
      check_strided(name.c_str(), view);
      check_writable(name.c_str(), view);
      if (!view.on_gpu()) refuse(name.c_str(), "is not in memory of a GPU");
      kept_.push_back(nb::find(view));
      ranges.push_back({reinterpret_cast<void*>(view.range().begin), view.range().bytes});
    }
    const std::chrono::milliseconds limit = time_limit_of(time_limit);
    const nb::gil_scoped_release release;
    memory_ = std::make_unique<RegisteredMemory>(ranges, RegistrationOptions{signals, limit});
  }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;
  ~Registered() { close(); }

  nb::bytes handle() const { return nb::bytes(memory().handle().data(), memory().handle().size()); }
  std::int64_t signal(int signal) const { return memory().signal(signal); }
  void wait(int signal, std::int64_t value, std::uintptr_t stream) {
    RegisteredMemory& open = memory();
    const nb::gil_scoped_release release;
    open.wait(signal, value, stream_of(stream));
  }
  void wait_here(int signal, std::int64_t value) {
    RegisteredMemory& open = memory();
    const nb::gil_scoped_release release;
    open.wait(signal, value);
  }
  void end() {
    RegisteredMemory& open = memory();
    const nb::gil_scoped_release release;
    open.end();
  }

  int traverse(visitproc visit, void* arg) const {
    for (const nb::object& view : kept_) Py_VISIT(view.ptr());
    return 0;
  }
  void clear() { close(); }

 private:
  RegisteredMemory& memory() const {
    if (!memory_) throw Error("typewarp.RegisteredMemory: has been collected");
    return *memory_;
  }
  /// Ends it, and then lets the arrays go; where peers may still write, nobody ever gets their memory.
  void close() {
    if (!memory_) return;
    bool ended = true;
    {
      const nb::gil_scoped_release release;
      try {
        memory_->end();
      } catch (const std::exception&) {
        ended = false;
      }
      memory_.reset();
    }
    for (nb::object& view : kept_) {
      if (!ended) view.release();
    }
    kept_.clear();
  }

  std::vector<nb::object> kept_;
  std::unique_ptr<RegisteredMemory> memory_;
};

/// RemoteMemory; other threads of Python run while it waits.
class Remote {
 public:
  Remote(const nb::bytes& handle, int device) {
    const std::span bytes(static_cast<const std::byte*>(handle.data()), handle.size());
    const nb::gil_scoped_release release;
    memory_ = std::make_unique<RemoteMemory>(bytes, device);
  }
  Remote(const Remote&) = delete;
  Remote& operator=(const Remote&) = delete;
  ~Remote() {
    const nb::gil_scoped_release release;
    memory_.reset();
  }

  std::vector<std::pair<std::uintptr_t, std::int64_t>> ranges() const {
    std::vector<std::pair<std::uintptr_t, std::int64_t>> all;
    for (const auto& [address, bytes] : memory_->ranges()) {
      all.emplace_back(reinterpret_cast<std::uintptr_t>(address), bytes);
    }
    return all;
  }
  int device() const { return memory_->device(); }
  int signals() const { return memory_->signals(); }
  void check() const { memory_->check(); }
  void begin(std::uintptr_t stream) {
    const nb::gil_scoped_release release;
    memory_->begin(stream_of(stream));
  }
  void finish(std::uintptr_t stream, int signal, std::int64_t value) {
    const nb::gil_scoped_release release;
    memory_->finish(stream_of(stream), {signal, value});
  }

 private:
  std::unique_ptr<RemoteMemory> memory_;
};

}  // namespace

void bind_shared_memory(nb::module_& module) {
  nb::class_<Buffer>(module, "DeviceBuffer",
                     "Memory of a GPU that other processes of the host can map. Uninitialised.")
      .def(nb::init<int, std::int64_t>(), "device"_a, "nbytes"_a)
      .def_prop_ro("nbytes", [](const Buffer& buffer) { return buffer.memory().bytes(); })
      .def_prop_ro("__cuda_array_interface__", &interface_of);
  module.def("unmap_unused", &unmap_unused, nb::call_guard<nb::gil_scoped_release>(),
             "Unmaps memory of other processes that nothing of this one uses any more.");
  nb::class_<Registered>(module, "Registered", nb::type_slots(collected<Registered>))
      .def(nb::init<const std::vector<View*>&, int, double>(), "views"_a, "signals"_a, "time_limit"_a)
      .def_prop_ro("handle", &Registered::handle)
      .def("signal", &Registered::signal, "signal"_a)
      .def("wait", &Registered::wait, "signal"_a, "value"_a, "stream"_a)
      .def("wait_here", &Registered::wait_here, "signal"_a, "value"_a)
      .def("end", &Registered::end);
  nb::class_<Remote>(module, "Remote")
      .def(nb::init<const nb::bytes&, int>(), "handle"_a, "device"_a)
      .def_prop_ro("ranges", &Remote::ranges)
      .def_prop_ro("device", &Remote::device)
      .def_prop_ro("signals", &Remote::signals)
      .def("check", &Remote::check)
      .def("begin", &Remote::begin, "stream"_a)
      .def("finish", &Remote::finish, "stream"_a, "signal"_a, "value"_a);
}

}  // namespace typewarp::python
