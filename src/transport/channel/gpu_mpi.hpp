// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/gpu/gpu_channel.hpp"

namespace typewarp::transport {

/// The MPI itself, given memory of devices. Throws nothing, whatever the MPI.
std::unique_ptr<GpuChannel> make_mpi_link(MPI_Comm comm);
/// Whether this rank's MPI says, or the environment says of it, that it takes memory of devices; or sends by
/// UCX, and `ucx_takes_it` says so of that.
bool mpi_declares_gpu_awareness(MPI_Comm comm, bool (*ucx_takes_it)());

}  // namespace typewarp::transport
