// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <mpi.h>

namespace typewarp::python {

/// The handle of a communicator of mpi4py; None is MPI_COMM_WORLD. Throws nanobind::type_error that names
/// `comm`.
MPI_Comm comm_of(nanobind::handle comm);

/// Collective: whether all is well in all ranks. Other threads of Python run.
bool agree(MPI_Comm comm, bool well);

/// A rank or a tag. Throws nanobind::type_error and value_error that name `argument`.
int integer(nanobind::handle number, const char* argument);

/// The same of a receive: None is `any`.
int or_any(nanobind::handle number, const char* argument, int any);

}  // namespace typewarp::python
