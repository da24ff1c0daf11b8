// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace typewarp::gpu {

/// By what names others know the GPUs that this build is for.
struct Vendor {
  const char* interface;    ///< that of the runtime; "none" without a GPU engine
  const char* collectives;  ///< the library with NCCL's functions
  const char* mpi_query;    ///< the function by which an MPI says whether it takes their memory,
  int mpi_support;          ///< what MPIX_GPU_query_support() calls them,
  const char* mpi_kind;     ///< and how their memory is called among MPI 4.1's kinds
  int ucx_memory_type;      ///< of ucs_memory_type_t
};
const Vendor& vendor() noexcept;

}  // namespace typewarp::gpu
