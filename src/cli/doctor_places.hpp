// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/doctor_record.hpp"

#include <string>

namespace typewarp::cli {

/// Fills in functions, files and lines, by addr2line where it is on the PATH, for what was compiled with -g.
void find_places(std::vector<CallSite>& sites);

/// "exchange (halo.c:27)", or what of it is known: at least "app+0x1a2b".
std::string place(const Frame& frame);

}  // namespace typewarp::cli
