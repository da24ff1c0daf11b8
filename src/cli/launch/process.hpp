// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/launch/launcher.hpp"

#include <chrono>

namespace typewarp::cli {

/// This machine.
System this_system();
/// libtypewarp_mpi.so, found from where this program lies. Throws UsageError if it is not there, or where
/// LD_PRELOAD could not name it.
std::string library_path();
/// The file of the program that a word names, by its path or on the PATH; empty if there is none.
std::string path_of_program(const std::string& word);
/// 0 if the word names a program that can be run. Else says why not, and returns what shells do: 127 if there
/// is none, 126 otherwise.
int check_program(const std::string& word, const char* subcommand = "run");
/// Becomes the command. Returns as check_program(), and only if it could not.
int become(const Words& words);
enum class Complaints { kept, dropped };
/// What a command writes to stdout, and to stderr if that is kept; its input is empty. Nothing if it cannot
/// be run. It is killed after the limit, if that is not 0.
std::string output_of(const Words& words, Complaints complaints, std::chrono::seconds limit = {});
/// Runs the command to its end. Its exit status, or 128 and the signal that ended it. Signals of batch
/// systems and closed terminals are handed on. Throws std::runtime_error.
int run_and_wait(const Words& words);

}  // namespace typewarp::cli
