// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

namespace typewarp::mpi {

/// Collective. If any rank has a problem, the text of the lowest such rank, which it begins with: "rank 2:
/// ...". Throws MpiError.
std::optional<std::string> first_problem(MPI_Comm comm, const std::string& problem);

}  // namespace typewarp::mpi
