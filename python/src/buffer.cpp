// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "array.hpp"

#include <string>

namespace nb = nanobind;

namespace typewarp::python {
namespace {

/// An exported buffer; while it is held, its exporter neither frees nor moves the memory.
struct Buffer {
  Py_buffer view{};
  bool held = false;

  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (held) PyBuffer_Release(&view);
  }
};

void check_unmasked(nb::handle type) {
  if (!nb::hasattr(type, "mask")) return;
  for (const nb::handle base : nb::cast<nb::tuple>(type.attr("__mro__"))) {
    const std::string module = nb::str(nb::getattr(base, "__module__", nb::str(""))).c_str();
    if (module.starts_with("numpy.ma")) throw masked_refused();
  }
}

}  // namespace

std::optional<Array> array_of_buffer(nb::handle x) {
  if (!PyObject_CheckBuffer(x.ptr())) return std::nullopt;
  // Classes that are written in Python; to ask NumPy's own for what they lack would double the time of a
  // view.
  if (const nb::handle type = x.type(); (PyType_GetFlags(Py_TYPE(x.ptr())) & Py_TPFLAGS_HEAPTYPE) != 0) {
    // CuPy's arrays speak the protocol too, where the host reaches their memory. Their stream would be lost.
    if (nb::hasattr(type, "__cuda_array_interface__")) return std::nullopt;
    check_unmasked(type);
  }
  const auto buffer = std::make_shared<Buffer>();
  if (PyObject_GetBuffer(x.ptr(), &buffer->view, PyBUF_FULL_RO) != 0) {
    // NumPy has types that the protocol cannot tell: times, bfloat16. The array interface can.
    if (!PyErr_ExceptionMatches(PyExc_ValueError) && !PyErr_ExceptionMatches(PyExc_BufferError)) {
      throw nb::python_error();
    }
    PyErr_Clear();
    return array_of_interface(x, "__array_interface__", Place::host);
  }
  buffer->held = true;
  const Py_buffer& view = buffer->view;
  if (view.suboffsets != nullptr) throw nb::value_error("x: its rows are reached by pointers (suboffsets)");
  Array array;
  array.data = static_cast<std::byte*>(view.buf);
  array.element = Element::of_format(view.format, view.itemsize);
  array.readonly = view.readonly != 0;
  array.dimensions.reserve(static_cast<std::size_t>(view.ndim));
  for (int d = 0; d < view.ndim; ++d) array.dimensions.push_back({view.shape[d], 0});
  if (view.strides != nullptr) {
    for (int d = 0; d < view.ndim; ++d)
      array.dimensions[static_cast<std::size_t>(d)].stride = view.strides[d];
  } else {
    make_dense(array.dimensions, view.itemsize);
  }
  array.memory = buffer;
  array.held = view.obj;
  return array;
}

}  // namespace typewarp::python
