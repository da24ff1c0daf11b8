// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/common/words.hpp"

#include <functional>
#include <string>

namespace typewarp::cli {

/// Launchers by the way in which they are told an environment variable for the ranks.
enum class Family {
  none,      ///< no launcher: the program itself
  open_mpi,  ///< -x NAME=VALUE, of each program
  hydra,     ///< -genv NAME VALUE, of all programs: MPICH, Intel MPI, MVAPICH
  slurm,     ///< --export=ALL,NAME=VALUE
  flux,      ///< --env=NAME=VALUE behind run or submit
  jsrun,     ///< -E NAME=VALUE
  aprun,     ///< -e NAME=VALUE
  pals,      ///< --env NAME=VALUE
  unknown,   ///< by "env NAME=VALUE" in front of the program
};

/// What the system knows, which tests replace.
struct System {
  /// What `program --version` prints; empty if it cannot be run.
  std::function<std::string(const std::string& program)> version_of;
  /// Whether a word names a program, by its path or on the PATH.
  std::function<bool(const std::string& word)> is_program;
};

/// By the name of the program, and by what it says of itself where more than one family has that name.
Family family_of(const std::string& program, const System& system);

/// The command, changed so that its ranks get the variables. LD_PRELOAD goes in front of one that the command
/// itself sets. Throws UsageError if the program cannot be found in the command of an unknown launcher.
Words with_variables(const Words& command, const Variables& variables, const System& system);

}  // namespace typewarp::cli
