// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"
#include "operand.hpp"

#include <typewarp/engine.hpp>

namespace nb = nanobind;
using namespace nb::literals;

namespace typewarp::python {
namespace {

// Nothing is moved, and the answer is false, where one array overlaps the other: who calls has memory
// between.

bool pack(View& x, View& out, std::uintptr_t stream) {
  check_packed("out", out, x.bytes());
  check_writable("out", out);
  check_reachable("x", x);
  check_reachable("out", out);
  if (x.overlaps(out)) return false;
  const Items& from = x.items();
  moved({&x, &out},
        [&] { typewarp::pack(from.buffer, from.count, from.plan, out.array().data, stream_of(stream)); });
  return true;
}

bool unpack(View& packed, View& x, std::uintptr_t stream) {
  check_packed("packed", packed, x.bytes());
  check_writable("x", x);
  check_reachable("packed", packed);
  check_reachable("x", x);
  if (packed.overlaps(x)) return false;
  const Items& to = x.items();
  moved({&packed, &x},
        [&] { typewarp::unpack(packed.array().data, to.buffer, to.count, to.plan, stream_of(stream)); });
  return true;
}

bool copy(View& source, View& destination, std::uintptr_t stream) {
  check_elements("destination", destination, source);
  check_writable("destination", destination);
  check_reachable("source", source);
  check_reachable("destination", destination);
  if (source.overlaps(destination)) return false;
  const Items &from = source.items(), &to = destination.items();
  moved({&source, &destination}, [&] {
    typewarp::copy(from.buffer, from.count, from.plan, to.buffer, to.count, to.plan, stream_of(stream));
  });
  return true;
}

}  // namespace

void bind_engine(nb::module_& module) {
  module.def("pack", &pack, "x"_a, "out"_a, "stream"_a,
             "Packs a view into one without gaps, on a stream's handle. False if they overlap: nothing is "
             "moved then.");
  module.def("unpack", &unpack, "packed"_a, "x"_a, "stream"_a, "The reverse of pack().");
  module.def("copy", &copy, "source"_a, "destination"_a, "stream"_a,
             "Copies element after element; as pack().");
  module.def("built_with_gpu", &built_with_gpu, "Whether this build can move memory of GPUs.");
  module.def("gpu_present", &gpu_present, nb::call_guard<nb::gil_scoped_release>(),
             "Whether there is a GPU that can be used. Asks the driver.");
}

}  // namespace typewarp::python
