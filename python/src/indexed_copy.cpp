// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"
#include "operand.hpp"
#include "plans.hpp"

#include <typewarp/indexed_copy.hpp>

#include <nanobind/stl/vector.h>

#include <string>

namespace nb = nanobind;
using namespace nb::literals;

namespace typewarp::python {
namespace {

std::string named(const char* side, std::size_t i) {
  return std::string(side) + "[" + std::to_string(i) + "]";
}

/// The items of an array along an axis, which counts from the end if it is negative.
ItemArray items_of(const std::string& argument, const View& view, std::int64_t axis) {
  check_strided(argument.c_str(), view);
  check_reachable(argument.c_str(), view);
  Array item = without_memory(view.array());
  const auto dimensions = static_cast<std::int64_t>(item.dimensions.size());
  if (axis < -dimensions || axis >= dimensions) {
    refuse("axis",
           std::to_string(axis) + " is none of the " + std::to_string(dimensions) + " of " + argument);
  }
  const auto along = item.dimensions.begin() + (axis < 0 ? axis + dimensions : axis);
  const Dimension items = *along;
  item.dimensions.erase(along);
  return {item.data, items.size, items.stride, plan_of(merged(item)).with(view.hints())};
}

/// Copies of items by lists. Keeps the views, which keep the memory; without `keep`, memory is the caller's.
class Indexed {
 public:
  Indexed(const std::vector<View*>& source, const std::vector<View*>& destination, std::int64_t axis,
          bool keep)
      : copy_(made(source, destination, axis)) {
    if (!keep) return;
    for (const View* view : source) kept_.push_back(nb::find(*view));
    for (const View* view : destination) kept_.push_back(nb::find(*view));
  }

  /// A list is a view of `count` integers of 32 or 64 bits without gaps, or null.
  void copy(const View* from, const View* to, std::int64_t count, std::uintptr_t stream) {
    const IndexList read = list_of("from_", from), written = list_of("to", to);
    const nb::gil_scoped_release release;
    copy_.copy(read, written, count, stream_of(stream));
  }
  void check() { copy_.check(); }

  int traverse(visitproc visit, void* arg) const {
    for (const nb::object& view : kept_) Py_VISIT(view.ptr());
    return 0;
  }
  void clear() { kept_.clear(); }

 private:
  static IndexedCopy made(const std::vector<View*>& source, const std::vector<View*>& destination,
                          std::int64_t axis) {
    if (source.size() != destination.size()) {
      refuse("destination", "has " + std::to_string(destination.size()) + " arrays, must have " +
                                std::to_string(source.size()) + " as source");
    }
    std::vector<ItemArray> from, to;
    for (std::size_t i = 0; i < source.size(); ++i) {
      const std::string read = named("source", i), written = named("destination", i);
      check_element_type(written.c_str(), *destination[i], *source[i]);
      check_writable(written.c_str(), *destination[i]);
      from.push_back(items_of(read, *source[i], axis));
      to.push_back(items_of(written, *destination[i], axis));
      if (from.back().plan.size() != to.back().plan.size()) {
        refuse(written.c_str(), "has items of " + std::to_string(to.back().plan.size()) +
                                    " bytes, must have " + std::to_string(from.back().plan.size()) +
                                    " as the other array");
      }
    }
    const nb::gil_scoped_release release;
    return {from, to};
  }

  static IndexList list_of(const char* argument, const View* view) {
    IndexList result;
    if (view == nullptr) return result;
    check_reachable(argument, *view);
    const std::string name = view->array().element.name_in_order();
    if (view->array().element.swapped() || (name != "int32" && name != "int64")) {
      refuse(argument, "has elements of " + view->array().element.name() + ", must have int32 or int64");
    }
    if (view->array().dimensions.size() != 1 || !view->dense())
      refuse(argument, "must have one dimension, without gaps");
    result.values = view->array().data;
    result.bytes = static_cast<int>(view->array().element.bytes());
    return result;
  }

  std::vector<nb::object> kept_;
  IndexedCopy copy_;
};

}  // namespace

void bind_indexed_copy(nb::module_& module) {
  nb::class_<Indexed>(module, "Indexed", nb::type_slots(collected<Indexed>))
      .def(nb::init<const std::vector<View*>&, const std::vector<View*>&, std::int64_t, bool>(), "source"_a,
           "destination"_a, "axis"_a, "keep"_a = true)
      .def("copy", &Indexed::copy, "from_"_a.none(), "to"_a.none(), "count"_a, "stream"_a)
      .def("check", &Indexed::check);
}

}  // namespace typewarp::python
