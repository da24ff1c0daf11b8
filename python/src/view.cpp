// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "view.hpp"

#include "dlpack.hpp"
#include "plans.hpp"

#include <algorithm>
#include <utility>

namespace nb = nanobind;

namespace typewarp::python {
namespace {

std::int64_t elements_of(const Array& array) {
  std::int64_t elements = 1;
  for (const Dimension& d : array.dimensions) {
    if (d.size < 0) throw nb::value_error("x: has a dimension of negative size");
    if (d.size == 0) return 0;
  }
  for (const Dimension& d : array.dimensions) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(elements, d.size, &elements) ||
        __builtin_mul_overflow(elements, array.element.bytes(), &bytes)) {
      throw nb::value_error("x: has more bytes than 64 bits count");
    }
  }
  return elements;
}

/// Of an array that has elements.
View::Range range_of(const Array& array) {
  const auto [low, high] = span_of(array.dimensions, array.element.bytes());
  std::int64_t bytes = 0;
  if (__builtin_sub_overflow(high, low, &bytes)) {
    throw nb::value_error("x: spans more bytes than 64 bits count");
  }
  return {reinterpret_cast<std::uintptr_t>(array.data) + static_cast<std::uintptr_t>(low), bytes};
}

std::string tuple_text(const std::vector<Dimension>& dimensions, std::int64_t Dimension::* member) {
  std::string text = "(";
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    if (d > 0) text.append(", ");
    text.append(std::to_string(dimensions[d].*member));
  }
  return text.append(dimensions.size() == 1 ? ",)" : ")");
}

/// Where they span as many bytes as they have, without gaps.
bool is_one_run(const std::vector<Blocks>& parts) {
  return parts.size() == 1 && parts.front().lengths.size() == 1 && parts.front().row.size() == 1;
}

bool is_dense(const Array& array) {
  std::int64_t stride = array.element.bytes();
  for (std::size_t d = array.dimensions.size(); d-- > 0;) {
    const Dimension& dimension = array.dimensions[d];
    if (dimension.size != 1 && dimension.stride != stride) return false;
    stride *= dimension.size;
  }
  return true;
}

}  // namespace

View::View(nb::handle x) : owner_(nb::borrow(x)), array_(array_of(x)), elements_(elements_of(array_)) {
  if (elements_ == 0) return;
  range_ = range_of(array_);
  dense_ = is_dense(array_);
  if (array_.data == nullptr) throw nb::value_error("x: has elements, but no memory");
}

View::View(nb::object of, Array array, std::vector<Blocks> parts, bool repeats, const Hints& hints)
    : owner_(std::move(of)),
      array_(std::move(array)),
      elements_(elements_of(array_)),
      dense_(elements_ == 0),
      of_views_(true),
      parts_(std::move(parts)),
      repeats_(repeats ? std::optional(true) : std::nullopt),
      hints_(hints) {
  if (elements_ > 0) {
    const auto [low, high] = span_of(parts_);
    range_ = {reinterpret_cast<std::uintptr_t>(array_.data) + static_cast<std::uintptr_t>(low), high - low};
    dense_ = high - low == bytes() && is_one_run(parts_);
    if (dense_) array_.data += low;
  }
  if (!dense_) return;
  parts_.clear();
  make_dense(array_.dimensions, array_.element.bytes());
}

View::View(const View& of, const Hints& hints)
    : owner_(nb::find(of)),
      array_(without_memory(of.array_)),
      elements_(of.elements_),
      dense_(of.dense_),
      range_(of.range_),
      of_views_(true),
      parts_(of.parts_),
      repeats_(of.repeats_),
      hints_(hints) {}

void View::add_strided(nb::list& views) const {
  if (!of_views_) return views.append(nb::find(*this));
  if (nb::isinstance<View>(owner_)) return nb::cast<const View&>(owner_).add_strided(views);
  for (nb::handle view : owner_) views.append(view);
}

nb::object View::owner() const {
  if (!of_views_) return owner_;
  if (nb::isinstance<View>(owner_)) return nb::cast<const View&>(owner_).owner();
  nb::list owners;
  for (nb::handle view : owner_) owners.append(nb::cast<const View&>(view).owner());
  return nb::tuple(owners);
}

Memory View::memory() const {
  const auto address = reinterpret_cast<std::uintptr_t>(array_.data);
  if (strided()) return {address, {{{0}, {1}, 0, merged(array_)}}};
  return {address, parts_};
}

bool View::repeats() const {
  if (elements_ == 0 || dense_) return false;
  if (!repeats_) repeats_ = overlaps_itself(memory()).value_or(false);
  return *repeats_;
}

bool View::overlaps(const View& other) const {
  if (elements_ == 0 || other.elements_ == 0) return false;
  const auto end = [](const Range& range) { return range.begin + static_cast<std::uintptr_t>(range.bytes); };
  if (end(range_) <= other.range_.begin || end(other.range_) <= range_.begin) return false;
  const std::vector<Memory> both{memory(), other.memory()};
  if (both[0].address == both[1].address && both[0].parts == both[1].parts) return false;
  return overlap(both).value_or(true);
}

std::byte* View::first() const noexcept {
  return parts_.empty() ? array_.data : array_.data + parts_.front().displacements.front();
}

Datatype View::datatype() const { return parts_.empty() ? datatype_of(merged(array_)) : datatype_of(parts_); }

const Items& View::items() {
  if (items_) return *items_;
  static const Plan& byte = *new Plan(commit(Named::byte));  // of all arrays without gaps; never destroyed
  if (dense_) return items_.emplace(Items{array_.data, bytes(), byte.with(hints_)});
  const Plan plan = parts_.empty() ? plan_of(merged(array_)) : commit(datatype());
  return items_.emplace(Items{array_.data, 1, plan.with(hints_)});
}

std::string View::device() const {
  if (array_.place == Place::host) return "cpu";
  if (array_.place == Place::pinned) return "cpu (pinned)";
  std::string text = "cuda";
  if (array_.device >= 0) text.append(":").append(std::to_string(array_.device));
  return array_.place == Place::managed ? text.append(" (managed)") : text;
}

std::string View::repr() const {
  std::int64_t blocks = 0;
  for (const Blocks& part : parts_) blocks += std::ssize(part.lengths);
  const std::string where = strided() ? "strides " + tuple_text(array_.dimensions, &Dimension::stride)
                                      : std::to_string(blocks) + (blocks == 1 ? " block" : " blocks");
  return "<typewarp.View " + tuple_text(array_.dimensions, &Dimension::size) + " of " +
         array_.element.name() + ", " + where + ", " + std::to_string(bytes()) + " bytes on " + device() +
         (array_.readonly ? ", read-only>" : ">");
}

std::string View::layout() { return normalise(datatype()).to_string(); }

std::optional<std::uintptr_t> View::stream() const {
  if (!on_gpu()) return std::nullopt;
  if (array_.exchange == nullptr) return array_.stream;
  void* stream = nullptr;
  constexpr int gpu = 2;  // DLPack's number
  if (array_.exchange->current_stream(gpu, array_.device, &stream) != 0) throw nb::python_error();
  return reinterpret_cast<std::uintptr_t>(stream);
}

int View::traverse(visitproc visit, void* arg) const {
  Py_VISIT(owner_.ptr());
  Py_VISIT(array_.held);
  return 0;
}

void View::clear() {
  elements_ = 0;
  range_ = {};
  of_views_ = false;
  parts_.clear();
  items_.reset();
  array_ = Array();
  owner_.reset();
}

}  // namespace typewarp::python
