// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/calls.hpp"
#include "interpose/front/library.hpp"

#include <array>

namespace typewarp::interpose {

/// What is known after the first call: filled by resolve() before any call is handed on, constant from then
/// on.
struct Resolved {
  MpiLibrary mpi;
  std::array<void*, calls> next{};  ///< for each call, what comes after us; never null
};
extern Resolved resolved;

/// Lets the core that is built for this ABI, in the folder of this library, choose what calls go to. Returns
/// false, and leaves `chosen` as it is, where there is no such core or it refuses.
bool attach_core(std::array<void*, calls>& chosen) noexcept;

/// Programs look whether an MPI has a call: by dlsym, or by a weak reference, which is null if it has not.
/// So the calls that we export and nobody makes are hidden. For each call, whether programs see it:
using Seen = std::array<bool, calls>;

/// Hides the calls that are not in `seen`, and shows the others. From now on weak references that lead to a
/// hidden call are null, and references to a call that was hidden lead to ours. `next` is what a call goes to
/// without us.
void show(const Seen& seen, const std::array<void*, calls>& next) noexcept;

/// Leads what the MPI's Fortran libraries call by PMPI names to the calls that we export by MPI names. All of
/// Open MPI's Fortran calls are made of PMPI calls, and so are some of MPICH's. Calls into whose
/// requests Open MPI's write stay the MPI's, and all with TYPEWARP_DISABLE=1. Does it for the libraries that
/// are loaded now, once for good. PMPI calls of other libraries and of programs stay the MPI's.
void adopt_fortran_libraries() noexcept;

}  // namespace typewarp::interpose
