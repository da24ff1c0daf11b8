// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "../bindings.hpp"
#include "../errors.hpp"
#include "prepared.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <xla/ffi/api/ffi.h>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ffi = xla::ffi;
namespace nb = nanobind;
using namespace nb::literals;

namespace typewarp::python::jax {
namespace {

/// On the host: a function of Python, of the memory of source and result.
struct OnHost {
  std::int64_t bytes_of_source, bytes_of_result;
  nb::object function;

  std::int64_t source_bytes() const { return bytes_of_source; }
  std::int64_t result_bytes() const { return bytes_of_result; }
};

/// What compiled programs find by the number that they hold. Never destroyed: where a program ends without
/// closing, other ranks need not be there, and Python is not.
template <typename T>
class Numbered {
 public:
  static Numbered& all() {
    static auto& objects = *new Numbered;
    return objects;
  }
  void add(std::int64_t number, std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    if (!objects_.emplace(number, std::move(object)).second)
      throw Error("another thread has prepared an exchange at the same time, over other ranks");
  }
  std::shared_ptr<T> of(std::int64_t number) {
    const std::lock_guard lock(mutex_);
    if (const auto found = objects_.find(number); found != objects_.end()) return found->second;
    throw Error("it was closed, or prepared for another platform");
  }
  /// Null if there is none.
  std::shared_ptr<T> removed(std::int64_t number) {
    const std::lock_guard lock(mutex_);
    auto node = objects_.extract(number);
    return node ? std::move(node.mapped()) : nullptr;
  }

 private:
  std::mutex mutex_;
  std::map<std::int64_t, std::shared_ptr<T>> objects_;
};

/// Calls `run` with the object, whose arrays these must be. Errors become those of XLA.
template <typename T, typename Run>
ffi::Error handled(std::int64_t number, ffi::AnyBuffer source, ffi::AnyBuffer result, Run&& run) {
  const std::string call = "typewarp.jax.Exchange " + std::to_string(number) + ": ";
  try {
    const std::shared_ptr<T> object = Numbered<T>::all().of(number);
    if (static_cast<std::int64_t>(source.size_bytes()) != object->source_bytes() ||
        static_cast<std::int64_t>(result.size_bytes()) != object->result_bytes()) {
      throw Error("was prepared for arrays of other sizes");
    }
    run(*object);
    return ffi::Error::Success();
  } catch (const TimeLimitExceeded& error) {
    return {ffi::ErrorCode::kDeadlineExceeded, call + error.what()};
  } catch (const std::exception& error) {
    return {ffi::ErrorCode::kInternal, call + error.what()};
  }
}

/// What follows the source is there to be waited for.
ffi::Error on_device(void* stream, ffi::AnyBuffer source, ffi::RemainingArgs,
                     ffi::Result<ffi::AnyBuffer> result, std::int64_t number) {
  return handled<Prepared>(number, source, *result, [&](Prepared& prepared) {
    prepared.run(source.untyped_data(), result->untyped_data(), Stream(stream));
  });
}

ffi::Error on_host(ffi::AnyBuffer source, ffi::RemainingArgs, ffi::Result<ffi::AnyBuffer> result,
                   std::int64_t number) {
  const nb::gil_scoped_acquire acquire;
  return handled<OnHost>(number, source, *result, [&](OnHost& host) {
    const auto memory = [](ffi::AnyBuffer array, int flags) {
      return nb::steal(PyMemoryView_FromMemory(static_cast<char*>(array.untyped_data()),
                                               static_cast<Py_ssize_t>(array.size_bytes()), flags));
    };
    host.function(memory(source, PyBUF_READ), memory(*result, PyBUF_WRITE));
  });
}

XLA_FFI_DEFINE_HANDLER(device_handler, on_device,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::PlatformStream<void*>>()
                           .Arg<ffi::AnyBuffer>()
                           .RemainingArgs()
                           .Ret<ffi::AnyBuffer>()
                           .Attr<std::int64_t>("exchange"));
XLA_FFI_DEFINE_HANDLER(
    host_handler, on_host,
    ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().RemainingArgs().Ret<ffi::AnyBuffer>().Attr<std::int64_t>(
        "exchange"));

nb::capsule capsule(XLA_FFI_Handler* handler) { return nb::capsule(reinterpret_cast<void*>(handler)); }

using Boxes = std::vector<std::tuple<int, std::vector<std::int64_t>, std::vector<std::int64_t>>>;

Side side_of(std::int64_t element_bytes, std::vector<std::int64_t> shape, const Boxes& boxes) {
  Side side{element_bytes, std::move(shape), {}};
  for (const auto& [peer, starts, sizes] : boxes) side.boxes.push_back({peer, starts, sizes});
  return side;
}

void prepare_on_device(std::int64_t number, int device, int rank, std::int64_t element_bytes,
                       std::vector<std::int64_t> source_shape, const Boxes& sends,
                       std::vector<std::int64_t> result_shape, const Boxes& receives, bool in_place,
                       double time_limit) {
  const std::chrono::duration<double> seconds(
      time_limit);  // 0 is no limit, so what is above it is not rounded to it
  Numbered<Prepared>::all().add(
      number, std::make_shared<Prepared>(device, rank, side_of(element_bytes, std::move(source_shape), sends),
                                         side_of(element_bytes, std::move(result_shape), receives), in_place,
                                         std::chrono::ceil<std::chrono::milliseconds>(seconds)));
}

}  // namespace
}  // namespace typewarp::python::jax

NB_MODULE(_jax, module) {
  using namespace typewarp::python::jax;
  using typewarp::python::gathering_ranks;
  typewarp::python::translate_errors(nb::module_::import_("typewarp._core"));
  nb::set_leak_warnings(false);  // of what is never destroyed
  module.attr("interface_version") = nb::make_tuple(XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR);
  const auto no_gil = nb::call_guard<nb::gil_scoped_release>();
  module.def("handlers", [] {
    nb::dict handlers;
    handlers["cpu"] = capsule(host_handler);
    handlers["CUDA"] = capsule(device_handler);
    return handlers;
  });
  module.def("prepare_on_host", [](std::int64_t number, std::int64_t source_bytes, std::int64_t result_bytes,
                                   nb::object function) {
    Numbered<OnHost>::all().add(
        number, std::make_shared<OnHost>(OnHost{source_bytes, result_bytes, std::move(function)}));
  });
  module.def("prepare_on_device", &prepare_on_device);
  module.def("remove_on_host", [](std::int64_t number) { Numbered<OnHost>::all().removed(number); });
  module.def("link", [](std::int64_t number, nb::handle ranks) {
    const auto given = gathering_ranks(ranks);
    const nb::gil_scoped_release release;
    Numbered<Prepared>::all().of(number)->link(given);
  });
  module.def(
      "done", [](std::int64_t number) { return Numbered<Prepared>::all().of(number)->done(); }, no_gil);
  module.def("unlink", [](std::int64_t number) { Numbered<Prepared>::all().of(number)->unlink(); }, no_gil);
  module.def(
      "remove_on_device", [](std::int64_t number) { Numbered<Prepared>::all().removed(number); }, no_gil);
}
