// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

// The parts of the module typewarp._core. They check arguments and take streams as handles; the Python
// modules around it find streams and make arrays.
namespace typewarp::python {

void bind_view(nanobind::module_& module);
void bind_engine(nanobind::module_& module);
void bind_persistent(nanobind::module_& module);
void bind_batch(nanobind::module_& module);

}  // namespace typewarp::python
