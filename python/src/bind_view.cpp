// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"
#include "plans.hpp"
#include "view.hpp"

#include <typewarp/explain.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace typewarp::python {
namespace {

std::string explained(View& view, const std::optional<std::string>& machine, bool json, bool measure) {
#ifdef TYPEWARP_HAS_EXPLAIN
  const Items& items = view.items();
  ExplainOptions options{.count = items.count, .measure = measure};
  if (machine && !GpuRates::recorded(*machine))
    throw InvalidArgument("typewarp.View.explain", "machine", *machine, "must be h200 or h100");
  options.machine = machine.value_or("");
  const nb::gil_scoped_release others_run;
  const Explanation explanation = explain(items.plan, options);
  return json ? explanation.to_json() : explanation.to_string();
#else
  PyErr_SetString(PyExc_NotImplementedError,
                  "explain() is not in this build, which found no nlohmann/json.hpp");
  throw nb::python_error();
#endif
}

nb::tuple members(const View& view, std::int64_t Dimension::* member) {
  nb::list list;
  for (const Dimension& d : view.array().dimensions) list.append(d.*member);
  return nb::tuple(list);
}

nb::tuple tuple_of(const std::vector<Dimension>& dimensions) {
  nb::list list;
  for (const Dimension& d : dimensions) list.append(nb::make_tuple(d.size, d.stride));
  return nb::tuple(list);
}

nb::tuple merged_dimensions(const View& view) { return tuple_of(merged(view.array())); }

/// For each part the dimensions of a row, its stride, the rows of each block, and their distances from the
/// lowest address.
nb::list blocks_of(const View& view) {
  const std::int64_t before =
      reinterpret_cast<std::intptr_t>(view.array().data) - static_cast<std::intptr_t>(view.range().begin);
  nb::list list;
  for (const Blocks& part : view.parts()) {
    std::vector<std::int64_t> displacements = part.displacements;
    for (std::int64_t& displacement : displacements) displacement += before;
    list.append(nb::make_tuple(tuple_of(part.row), part.stride, part.lengths, displacements));
  }
  return list;
}

/// Of an integer of any size: which are too large, the hint's own rule says.
std::string digits_of(nb::handle max_blocks) {
  if (PyIndex_Check(max_blocks.ptr()) == 0) {
    const std::string type = nb::str(max_blocks.type().attr("__name__")).c_str();
    throw nb::type_error(("max_blocks: " + type + " is not a number of thread blocks").c_str());
  }
  return nb::str(nb::module_::import_("operator").attr("index")(max_blocks)).c_str();
}

/// What is given is said, and what is not stays as it is.
std::unique_ptr<View> with_hints(const View& view, const std::optional<std::string>& avoid,
                                 const std::optional<std::string>& priority, const nb::object& max_blocks,
                                 const std::optional<std::string>& method) {
  Hints hints = view.hints();
  if (avoid) hints.set("avoid", *avoid);
  if (priority) hints.set("priority", *priority);
  if (!max_blocks.is_none()) hints.set("max_blocks", digits_of(max_blocks));
  if (method) hints.set("method", *method);
  return std::make_unique<View>(view, hints);
}

}  // namespace

void bind_view(nb::module_& module) {
  nb::class_<View>(module, "View", nb::type_slots(collected<View>), nb::is_final(),
                   nb::is_weak_referenceable(),
                   "The memory of an array: what view() makes. Immutable; keeps the array alive.")
      .def(
          "__init__", [](View* self, nb::handle x) { new (self) View(x); }, "x"_a.none())
      .def_prop_ro(
          "shape", [](const View& v) { return members(v, &Dimension::size); },
          nb::sig("def shape(self) -> tuple[int, ...]"), "Indices of each dimension.")
      .def_prop_ro(
          "strides",
          [](const View& v) -> nb::object {
            return v.strided() ? nb::object(members(v, &Dimension::stride)) : nb::object(nb::none());
          },
          nb::sig("def strides(self) -> tuple[int, ...] | None"),
          "Bytes from one index of a dimension to the next. None where there are none: of what\n"
          "layout() makes.")
      .def_prop_ro(
          "ndim", [](const View& v) { return v.array().dimensions.size(); }, "Dimensions.")
      .def_prop_ro("size", &View::elements, "Elements.")
      .def_prop_ro(
          "itemsize", [](const View& v) { return v.array().element.bytes(); }, "Bytes of an element.")
      .def_prop_ro("nbytes", &View::bytes, "Bytes of all elements, without what lies between them.")
      .def_prop_ro(
          "dtype", [](const View& v) { return v.array().element.name(); },
          "The name of the elements' type; 'V12' for 12 bytes of which nothing is known.")
      .def_prop_ro("device", &View::device,
                   "'cpu', 'cpu (pinned)', 'cuda:0'; 'cuda' where the array does not tell which.")
      .def_prop_ro(
          "readonly", [](const View& v) { return v.array().readonly; }, "Whether it must not be written.")
      .def_prop_ro("contiguous", &View::dense,
                   "Whether the elements follow each other without gaps, the last dimension fastest.")
      .def_prop_ro("array", &View::owner,
                   "The array; a tuple of those that layout() joined, without empty ones.")
      .def_prop_ro(
          "address", [](const View& v) { return reinterpret_cast<std::uintptr_t>(v.first()); },
          "Of the element of indices 0.")
      .def_prop_ro("layout", &View::layout, "What the memory looks like, in words.")
      .def("with_hints", &with_hints, nb::kw_only(), "avoid"_a = nb::none(), "priority"_a = nb::none(),
           "max_blocks"_a = nb::none(), "method"_a = nb::none(),
           nb::sig("def with_hints(self, *, avoid: str | None = None, priority: str | None = None, "
                   "max_blocks: int | None = None, method: str | None = None) -> View"),
           "The same memory as another view, which is moved as hints say (docs/guide/hints.md): avoid is\n"
           "'multiprocessors', 'copy_engines', or both with a comma between; priority 'low',\n"
           "'normal' or 'high'; max_blocks thread blocks at a time; method one that explain prints. What is\n"
           "not given stays as it is. Raises ValueError for a value that a hint does not take.")
      .def_prop_ro(
          "hints", [](const View& v) { return v.hints().to_string(); },
          "What with_hints() said, in words; 'none' where it said nothing.")
      .def(
          "explain", &explained, nb::kw_only(), "machine"_a = nb::none(), "json"_a = false,
          "measure"_a = false,
          "What is made of the view, as text or JSON (docs/guide/explain.md): its layout, the method that\n"
          "moves it and why, the least time on a machine ('h200' or 'h100'), and advice. measure=True times\n"
          "it here, in memory of its own: on the host, and on GPU 0 if there is one, whose rates are\n"
          "measured then. Raises ValueError for an unknown machine.")
      .def_prop_ro("_range", [](const View& v) { return nb::make_tuple(v.range().begin, v.range().bytes); })
      .def_prop_ro("_device_number", [](const View& v) { return v.array().device; })
      .def_prop_ro("_repeats", &View::repeats)
      .def("_overlaps", &View::overlaps)
      .def_prop_ro("_on_gpu", &View::on_gpu)
      .def_prop_ro("_stream", &View::stream)
      .def_prop_ro("_merged", &merged_dimensions)
      .def_prop_ro("_blocks", &blocks_of)
      .def_prop_ro(
          "spec", [](nb::handle self) { return nb::module_::import_("typewarp._mpi").attr("spec_of")(self); },
          nb::sig("def spec(self) -> list"),
          "[buffer, count, MPI.Datatype] for the calls of mpi4py, as in comm.Send(v.spec, 1). Host memory\n"
          "goes through any MPI. Memory of a GPU needs an MPI that takes it, or the preload library; work "
          "on\n"
          "it must be done before. The datatype is committed and kept; nobody frees it. Needs mpi4py.")
      .def("__repr__", &View::repr);
}

}  // namespace typewarp::python
