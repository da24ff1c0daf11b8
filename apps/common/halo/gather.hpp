// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/halo/fields.hpp"
#include "common/place.hpp"

#include <mpi.h>

#include <vector>

namespace apps {

/// Collective. The fields of the whole box, plane after plane, on rank 0; empty on the others.
std::vector<double> gather(const Domain& domain, const Fields& fields, const Place& place, MPI_Comm comm);

}  // namespace apps
