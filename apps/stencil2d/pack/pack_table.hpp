// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace stencil2d {

/// Prints the time of pack and unpack in host memory for the types of figure 4 of 000, Typewarp's against
/// MPI_Pack and MPI_Unpack of the MPI that the program runs on, on the calling rank alone. The results are
/// compared: false if any byte differs. A few seconds.
bool print_host_pack_table();

/// Prints the time to pack the same types on the current GPU, into device and into pinned host memory, next
/// to one cudaMemcpyAsync a block. Compares the results as well. A few seconds.
bool print_gpu_pack_table();

}  // namespace stencil2d
