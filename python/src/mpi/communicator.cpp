// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "communicator.hpp"

#include <typewarp/mpi.hpp>

#include <string>

namespace nb = nanobind;

namespace typewarp::python {
namespace {

using Get = MPI_Comm* (*)(PyObject*);

/// Of mpi4py's interface of C, as the capsule that mpi4py.h would ask for.
Get getter() {
  const nb::object capsule = nb::module_::import_("mpi4py.MPI").attr("__pyx_capi__")["PyMPIComm_Get"];
  void* found = PyCapsule_GetPointer(capsule.ptr(), PyCapsule_GetName(capsule.ptr()));
  if (found == nullptr) throw nb::python_error();
  return reinterpret_cast<Get>(found);
}

std::string type_of(nb::handle object) { return nb::str(object.type().attr("__name__")).c_str(); }

}  // namespace

MPI_Comm comm_of(nb::handle comm) {
  if (comm.is_none()) return MPI_COMM_WORLD;
  static const Get get = getter();
  if (const MPI_Comm* handle = get(comm.ptr())) return *handle;
  PyErr_Clear();
  throw nb::type_error(("comm: " + type_of(comm) + " is not a communicator of mpi4py").c_str());
}

bool agree(MPI_Comm comm, bool well) {
  int own = well ? 1 : 0, least = 0;
  const nb::gil_scoped_release release;
  mpi::check(MPI_Allreduce(&own, &least, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return least == 1;
}

int integer(nb::handle number, const char* argument) {
  int value = 0;
  if (nb::try_cast(number, value)) return value;
  const std::string name = std::string(argument) + ": ";
  if (nb::isinstance<nb::int_>(number))
    throw nb::value_error((name + nb::str(number).c_str() + " does not fit into an int of C").c_str());
  throw nb::type_error((name + type_of(number) + " is not an integer").c_str());
}

int or_any(nb::handle number, const char* argument, int any) {
  return number.is_none() ? any : integer(number, argument);
}

}  // namespace typewarp::python
