// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "operand.hpp"

#include <typewarp/engine.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace nb = nanobind;

namespace typewarp::python {
void refuse(const char* argument, const std::string& what) {
  throw nb::value_error((std::string(argument) + ": " + what).c_str());
}

void check_writable(const char* argument, const View& view) {
  if (view.array().readonly) refuse(argument, "is read-only");
  if (!view.repeats()) return;
  refuse(argument, view.strided() ? "has a stride of 0, so several of its elements are one"
                                  : "takes elements more than once");
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

void check_elements(const char* argument, const View& view, const View& source) {
  const Element &own = view.array().element, &other = source.array().element;
  if (!own.matches(other)) {
    refuse(argument, "has elements of " + own.name() + ", the other array of " + other.name() +
                         "; bytes are moved, never converted");
  }
  if (view.elements() != source.elements()) {
    refuse(argument, "has " + std::to_string(view.elements()) + " elements, must have " +
                         std::to_string(source.elements()) + " as the other array");
  }
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
