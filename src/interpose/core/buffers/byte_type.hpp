// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

namespace typewarp::interpose {

/// A committed datatype of `size` consecutive bytes, which the caller frees. Throws MpiError.
MPI_Datatype byte_type(std::int64_t size);

}  // namespace typewarp::interpose
