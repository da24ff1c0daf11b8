// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stencil2d/domain.hpp"

#include <typewarp/engine.hpp>

#include <mpi.h>

#include <vector>

namespace stencil2d {

/// Collective. Brings the owned points of all ranks together on rank 0, without halo or padding, row by row;
/// empty on the others. Both ends are subarray types, so no rank copies its part first. Throws Refusal if
/// rank 0 has no memory for it. For float and double.
template <typename T>
std::vector<T> gather(const Domain& domain, const T* field, typewarp::Stream stream, MPI_Comm comm);

}  // namespace stencil2d
