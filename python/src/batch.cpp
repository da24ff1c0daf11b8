// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"
#include "operand.hpp"

#include <typewarp/batch.hpp>

#include <nanobind/stl/vector.h>

#include <optional>
#include <string>

namespace nb = nanobind;
using namespace nb::literals;

namespace typewarp::python {
namespace {

/// Pieces that are packed and unpacked together. Keeps the views, which keep the memory.
class Pieces {
 public:
  Pieces(std::vector<View*> views, const View& packed)
      : views_(std::move(views)), packed_(&packed), batch_(made(views_, packed)) {
    for (const View* view : views_) kept_.push_back(nb::find(*view));
    kept_.push_back(nb::find(packed));
  }

  void pack(std::uintptr_t stream) {
    check_writable("packed", *packed_);
    const nb::gil_scoped_release release;
    batch_.pack(stream_of(stream));
  }
  void unpack(std::uintptr_t stream) {
    for (std::size_t i = 0; i < views_.size(); ++i) check_writable(name_of(i).c_str(), *views_[i]);
    check_disjoint();
    const nb::gil_scoped_release release;
    batch_.unpack(stream_of(stream));
  }

  int traverse(visitproc visit, void* arg) const {
    for (const nb::object& view : kept_) Py_VISIT(view.ptr());
    return 0;
  }
  void clear() { kept_.clear(); }

 private:
  static std::string name_of(std::size_t i) { return "views[" + std::to_string(i) + "]"; }

  /// That no two of them have a byte in common; looked for once.
  void check_disjoint() {
    if (!overlap_) {
      std::vector<Memory> memories;
      for (const View* view : views_) {
        if (view->elements() > 0) memories.push_back(view->memory());
      }
      overlap_ = overlap(memories).value_or(false);
    }
    if (*overlap_) refuse("views", "overlap each other, so they can be packed only");
  }

  static Batch made(const std::vector<View*>& views, const View& packed) {
    std::vector<Piece> pieces;
    std::int64_t place = 0;
    for (std::size_t i = 0; i < views.size(); ++i) {
      check_reachable(name_of(i).c_str(), *views[i]);
      const Items& items = views[i]->items();
      pieces.push_back({items.buffer, items.count, items.plan, place});
      if (__builtin_add_overflow(place, views[i]->bytes(), &place)) {
        throw nb::value_error("views: have more bytes than 64 bits count");
      }
    }
    check_reachable("packed", packed);
    check_packed("packed", packed, place);
    for (const View* view : views) check_apart("packed", packed, *view);
    // The driver may wait, as the first operation on a device loads kernels.
    const nb::gil_scoped_release release;
    return {pieces, packed.array().data};
  }

  std::vector<nb::object> kept_;
  std::vector<View*> views_;
  const View* packed_;
  std::optional<bool> overlap_;
  Batch batch_;
};

}  // namespace

void bind_batch(nb::module_& module) {
  nb::class_<Pieces>(module, "Pieces", nb::type_slots(collected<Pieces>))
      .def(nb::init<std::vector<View*>, const View&>(), "views"_a, "packed"_a)
      .def("pack", &Pieces::pack, "stream"_a)
      .def("unpack", &Pieces::unpack, "stream"_a);
}

}  // namespace typewarp::python
