// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

// The parts of the module typewarp._with_<abi>, one for each ABI of MPI. It is linked with no MPI: Python
// loads it when the symbols of mpi4py's are there (_mpi_library.py).
namespace typewarp::python {

void bind_request(nanobind::module_& module);
void bind_messages(nanobind::module_& module);
void bind_living(nanobind::module_& module);
void bind_session(nanobind::module_& module);
void bind_halo(nanobind::module_& module);

}  // namespace typewarp::python
