// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/doctor/doctor_record.hpp"

#include <string>

namespace typewarp::cli {

/// Fills in functions, files and lines, by addr2line where it is on the PATH, for what was compiled with -g.
void find_places(std::vector<CallSite>& sites);

/// Makes one of the sites, of all ranks, that are alike: of one function of the MPI, from one line, or from
/// one address where no line is known, on one communicator, of the same datatypes, memory and octave of size.
void unite(std::vector<CallSite>& sites);

/// "exchange (halo.c:27)", or what of it is known: at least "app+0x1a2b".
std::string place(const Frame& frame);

}  // namespace typewarp::cli
