// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"

#include <typewarp/error.hpp>
#include <typewarp/version.hpp>

#include <nanobind/stl/string_view.h>

namespace nb = nanobind;

NB_MODULE(_core, module) {
  module.attr("__version__") = typewarp::version();
  nb::exception<typewarp::GpuError> gpu_error(module, "GpuError", PyExc_RuntimeError);
  gpu_error.attr("__doc__") =
      "A call of the GPU's runtime failed; the text holds the call and what the runtime says of it.";
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const typewarp::InvalidArgument& invalid) {
      PyErr_SetString(PyExc_ValueError, invalid.what());
    }
  });
  typewarp::python::bind_view(module);
  typewarp::python::bind_engine(module);
  typewarp::python::bind_persistent(module);
  typewarp::python::bind_batch(module);
}
