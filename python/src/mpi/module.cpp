// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"

#include "../bindings.hpp"
#include "../errors.hpp"
#include "communicator.hpp"

#include <typewarp/mpi_ranks.hpp>

// Expands the name, which is that of the file, once more.
#define TYPEWARP_MODULE(name) NB_MODULE(name, module)

TYPEWARP_MODULE(TYPEWARP_PYTHON_MODULE) {
  typewarp::python::translate_errors(nanobind::module_::import_("typewarp._core"));
  typewarp::python::bind_living(module);
  typewarp::python::bind_request(module);
  typewarp::python::bind_messages(module);
  typewarp::python::bind_session(module);
  const auto ranks_of =
      +[](nanobind::handle comm) { return typewarp::mpi::ranks(typewarp::python::comm_of(comm)); };
  typewarp::python::bind_exchange(module, ranks_of);
  typewarp::python::bind_device_group(module, ranks_of);
  typewarp::python::bind_halo(module);
}
