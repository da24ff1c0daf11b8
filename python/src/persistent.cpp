// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"
#include "operand.hpp"

#include <typewarp/persistent.hpp>

#include <array>

namespace nb = nanobind;
using namespace nb::literals;

namespace typewarp::python {
namespace {

/// An operation that is prepared once. Keeps the views, which keep the memory.
class Prepared {
 public:
  static Prepared pack(View& x, View& out) {
    check_packed("out", out, x.bytes());
    check_writable("out", out);
    check_reachable("x", x);
    check_reachable("out", out);
    check_apart("out", out, x);
    const Items& from = x.items();
    return {x, out,
            [&] { return Persistent::pack_init(from.buffer, from.count, from.plan, out.array().data); }};
  }
  static Prepared unpack(View& packed, View& x) {
    check_packed("packed", packed, x.bytes());
    check_writable("x", x);
    check_reachable("packed", packed);
    check_reachable("x", x);
    check_apart("x", x, packed);
    const Items& to = x.items();
    return {packed, x,
            [&] { return Persistent::unpack_init(packed.array().data, to.buffer, to.count, to.plan); }};
  }
  static Prepared copy(View& source, View& destination) {
    check_elements("destination", destination, source);
    check_writable("destination", destination);
    check_reachable("source", source);
    check_reachable("destination", destination);
    check_apart("destination", destination, source);
    const Items &from = source.items(), &to = destination.items();
    return {source, destination, [&] {
              return Persistent::copy_init(from.buffer, from.count, from.plan, to.buffer, to.count, to.plan);
            }};
  }

  void start(std::uintptr_t stream) {
    moved({source_, destination_}, [&] { operation_.start(stream_of(stream)); });
  }
  bool done() { return operation_.done(); }
  void wait() { operation_.wait(); }

  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(kept_[0].ptr());
    Py_VISIT(kept_[1].ptr());
    return 0;
  }
  void clear() { kept_ = {}; }

 private:
  template <typename Make>
  Prepared(const View& source, const View& destination, Make&& make)
      : kept_{nb::find(source), nb::find(destination)},
        source_(&source),
        destination_(&destination),
        operation_(made(make)) {}

  /// The driver may wait, as the first operation on a device loads kernels.
  template <typename Make>
  static Persistent made(Make& make) {
    const nb::gil_scoped_release release;
    return make();
  }

  std::array<nb::object, 2> kept_;
  const View *source_, *destination_;
  Persistent operation_;
};

}  // namespace

void bind_persistent(nb::module_& module) {
  nb::class_<Prepared>(module, "Prepared", nb::type_slots(collected<Prepared>))
      .def_static("pack", &Prepared::pack, "x"_a, "out"_a)
      .def_static("unpack", &Prepared::unpack, "packed"_a, "x"_a)
      .def_static("copy", &Prepared::copy, "source"_a, "destination"_a)
      .def("start", &Prepared::start, "stream"_a)
      .def("done", &Prepared::done)
      .def("wait", &Prepared::wait, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace typewarp::python
