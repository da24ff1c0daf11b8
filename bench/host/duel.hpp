// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "measure.hpp"
#include "workloads.hpp"

#include <nlohmann/json.hpp>

namespace typewarp::bench {

/// Of the MPI that this program is linked with, for instance "openmpi-5.0.11".
std::string mpi_name();

/// Checks that MPI_Pack and MPI_Unpack move the same bytes as Typewarp with every number of threads that is
/// timed, throwing std::runtime_error if not, then times both, and a contiguous copy that touches as many
/// bytes. `threads` above one is timed for messages from 1 MiB. One JSON object a direction: case,
/// packed_bytes, direction, floor_us, mpi_us, typewarp_us by threads, spread.
std::vector<nlohmann::json> duel(const NamedWorkload& which, int threads, const Effort& effort);

}  // namespace typewarp::bench
