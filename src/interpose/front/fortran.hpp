// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace typewarp::interpose {

/// Leads what the MPI's Fortran libraries call by PMPI names to the calls that we export by MPI names. All of
/// Open MPI's Fortran calls are made of PMPI calls, and so are some of MPICH's. Calls into whose
/// requests Open MPI's write stay the MPI's, and all with TYPEWARP_DISABLE=1. Does it for the libraries that
/// are loaded now, once for good. PMPI calls of other libraries and of programs stay the MPI's.
void adopt_fortran_libraries() noexcept;

}  // namespace typewarp::interpose
