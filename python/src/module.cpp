// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"
#include "errors.hpp"
#include "living.hpp"

#include <typewarp/version.hpp>

#include <nanobind/stl/string_view.h>

NB_MODULE(_core, module) {
  module.attr("__version__") = typewarp::version();
  typewarp::python::define_errors(module);
  typewarp::python::translate_errors(module);
  typewarp::python::bind_view(module);
  typewarp::python::bind_layout(module);
  typewarp::python::bind_engine(module);
  typewarp::python::bind_persistent(module);
  typewarp::python::bind_batch(module);
  typewarp::python::bind_indexed_copy(module);
  typewarp::python::bind_shared_memory(module);
  typewarp::python::bind_exchange(module, typewarp::python::gathering_ranks);
  typewarp::python::bind_device_group(module, typewarp::python::gathering_ranks);
  nanobind::module_::import_("atexit").attr("register")(
      nanobind::cpp_function(typewarp::python::keep_living));
}
