// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "operand.hpp"

#include <typewarp/engine.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace nb = nanobind;

namespace typewarp::python {
namespace {

/// "V8 (datetime64[ns])"
std::string described(const Element& element) {
  const std::string name = element.name(), meaning = element.meaning();
  return name == meaning ? name : name + " (" + meaning + ")";
}

}  // namespace

void refuse(const char* argument, const std::string& what) {
  throw nb::value_error((std::string(argument) + ": " + what).c_str());
}

void check_writable(const char* argument, const View& view) {
  if (view.array().readonly) refuse(argument, "is read-only");
  if (!view.repeats()) return;
  const auto is_one = [](const Dimension& d) { return d.size > 1 && d.stride == 0; };
  if (!view.strided()) refuse(argument, "takes elements more than once");
  refuse(argument, std::ranges::any_of(view.array().dimensions, is_one)
                       ? "has a stride of 0, so several of its elements are one"
                       : "has elements that overlap each other, so it can be read only");
}

void check_strided(const char* argument, const View& view) {
  if (!view.strided()) refuse(argument, "is a layout, which has no strides");
}

void check_packed(const char* argument, const View& view, std::int64_t bytes) {
  if (!view.dense())
    refuse(argument, "has gaps or another order; packed elements need an array without (C order)");
  if (view.bytes() != bytes) {
    refuse(argument, "has " + std::to_string(view.bytes()) + " bytes, must have " + std::to_string(bytes));
  }
}

void check_element_type(const char* argument, const View& view, const View& source) {
  const Element &own = view.array().element, &other = source.array().element;
  if (!own.matches(other)) {
    refuse(argument, "has elements of " + described(own) + ", the other array of " + described(other) +
                         "; bytes are moved, never converted");
  }
}

void check_elements(const char* argument, const View& view, const View& source) {
  check_element_type(argument, view, source);
  if (view.elements() != source.elements()) {
    refuse(argument, "has " + std::to_string(view.elements()) + " elements, must have " +
                         std::to_string(source.elements()) + " as the other array");
  }
}

void check_apart(const char* argument, const View& view, const View& source) {
  if (source.overlaps(view)) refuse(argument, "overlaps the other array, and there is no memory between");
}

void check_reachable(const char* argument, const View& view) {
  if (view.on_gpu() && view.bytes() > 0 && !built_with_gpu()) {
    refuse(argument, "lies on a GPU, and this typewarp was built without support for GPUs");
  }
}

std::chrono::milliseconds time_limit_of(double seconds) {
  constexpr double end = 1e9;  // about 32 years, whose nanoseconds fit 64 bits
  if (!(seconds >= 0 && seconds < end)) {
    refuse("time_limit", std::string(nb::str(nb::float_(seconds)).c_str()) +
                             " must be seconds from 0, which is no limit, to less than 1e9");
  }
  const std::int64_t rounded = std::llround(seconds * 1000);
  return std::chrono::milliseconds(seconds > 0 ? std::max<std::int64_t>(rounded, 1) : 0);
}

Stream stream_of(std::uintptr_t handle) { return Stream(reinterpret_cast<void*>(handle)); }

}  // namespace typewarp::python
