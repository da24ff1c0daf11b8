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
/// 0 if the word names a program that can be run. Else says why not, and returns what shells do: 127 if there
/// is none, 126 otherwise.
int check_program(const std::string& word);
/// Becomes the command. Returns as check_program(), and only if it could not.
int become(const Words& words);

}  // namespace typewarp::cli
