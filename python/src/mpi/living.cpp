// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "../living.hpp"

#include "bindings.hpp"
#include "communicator.hpp"
#include "request.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace typewarp::python {

void bind_living(nb::module_& module) {
  module.def(
      "end_all",
      [] {
        end_dropped();
        end_living();
      },
      "Ends all that ranks have made together, also the messages that were dropped. Before MPI_Finalize.");
  module.def(
      "agree", [](nb::handle comm, bool well) { return agree(comm_of(comm), well); }, "comm"_a.none(),
      "well"_a, "Collective: whether all is well in all ranks.");
}

}  // namespace typewarp::python
