// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"

#include <typewarp/error.hpp>
#include <typewarp/version.hpp>

#include <nanobind/stl/string_view.h>

#include <string>

namespace nb = nanobind;

namespace {

/// The error's text, which begins with the C++ call and its argument, with Python's name of the argument
/// alone.
std::string text_of(const typewarp::InvalidArgument& error) {
  const std::string text = error.what();
  std::string name = error.argument();
  const std::size_t place = text.find(": " + name + " = ");
  if (place == std::string::npos) return text;
  const std::string call = text.substr(0, place), rest = text.substr(place + name.size() + 5);
  if (name == "buffer") name = "x";
  if (name == "packed" && (call == "typewarp::pack" || call == "typewarp::Persistent::pack_init"))
    name = "out";
  if (name.starts_with("pieces[")) name = "views" + name.substr(6, name.find(']') - 5);
  return name + ": " + rest;
}

}  // namespace

NB_MODULE(_core, module) {
  module.attr("__version__") = typewarp::version();
  nb::exception<typewarp::GpuError> gpu_error(module, "GpuError", PyExc_RuntimeError);
  gpu_error.attr("__doc__") =
      "A call of the GPU's runtime failed; the text holds the call and what the runtime says of it.";
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const typewarp::InvalidArgument& invalid) {
      PyErr_SetString(PyExc_ValueError, text_of(invalid).c_str());
    }
  });
  typewarp::python::bind_view(module);
  typewarp::python::bind_engine(module);
  typewarp::python::bind_persistent(module);
  typewarp::python::bind_batch(module);
}
