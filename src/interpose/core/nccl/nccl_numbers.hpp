// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/nccl/nccl_api.hpp"

#include <mpi.h>

#include <optional>

namespace typewarp::interpose::nccl {

/// What NCCL calls a predefined datatype whose items are numbers, or an operation; nothing of those that it
/// has not.
std::optional<Type> type_of(MPI_Datatype type);
std::optional<Operation> operation_of(MPI_Op op) noexcept;

}  // namespace typewarp::interpose::nccl
