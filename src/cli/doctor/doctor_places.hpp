// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/doctor/doctor_record.hpp"

#include <string>

namespace typewarp::cli {

/// Fills in functions, files and lines of code compiled with -g, if addr2line is on the PATH.
void find_places(std::vector<CallSite>& sites);

/// Merges the sites of all ranks that agree in MPI function, source line (or address, if the line is
/// unknown), communicator, datatypes, kind of memory and power of two of the size.
void unite(std::vector<CallSite>& sites);

/// "exchange (halo.c:27)", or as much of it as is known: at least "app+0x1a2b".
std::string place(const Frame& frame);

}  // namespace typewarp::cli
