// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/launch/family.hpp"

#include <string>
#include <vector>

namespace typewarp::cli {

/// An MPI of this machine: a launcher on the PATH, and the libraries beside it.
struct Mpi {
  std::string launcher;  ///< with its folder
  std::string version;   ///< the first line that tells one, of what `launcher --version` prints
  std::string
      library;  ///< libmpi or its like in the folder of libraries beside that of the launcher; may be empty
  std::string abi;  ///< "openmpi", "mpich", "abi"; empty where nothing tells
};

/// Of the folders of `path`, which reads as the variable PATH; each launcher once, whatever links name it.
std::vector<Mpi> mpis_on(const std::string& path, const System& system);

}  // namespace typewarp::cli
