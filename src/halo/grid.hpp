// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/halo_grid.hpp>

#include <string>
#include <string_view>

namespace typewarp::halo {

/// How many ranks an argument has. Throws InvalidArgument for it, before it communicates.
int ranks_of(std::string_view caller, std::string_view argument, MPI_Comm comm);

/// Fills in the processes along each dimension that are 0. Throws InvalidArgument for "name.size()",
/// "name[d]" and `name`.
void complete(std::string_view caller, const std::string& name, std::vector<int>& sizes, int ranks);

}  // namespace typewarp::halo
