// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/launcher.hpp"

namespace typewarp::cli {

/// This machine.
System this_system();
/// libtypewarp_mpi.so, found from where this program lies. Throws UsageError if it is not there, or where
/// LD_PRELOAD could not name it.
std::string library_path();
/// Becomes the command: returns only if it could not, with 127 if there is no such program and 126 otherwise,
/// as shells do.
int become(const Words& words);

}  // namespace typewarp::cli
