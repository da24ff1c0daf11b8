// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/explain.hpp>

namespace typewarp::cli {

/// The file that `typewarp tune` writes and `typewarp explain` reads, whether or not it is there; empty where
/// no variable says where.
std::string machine_file();

/// Of a device of this process; empty where it is not there, or not usable.
std::string gpu_name(int device = 0);

/// Which profile stands for this machine.
struct Machine {
  MachineProfile profile;
  std::string file;  ///< that it was read from; empty for one that comes with the library
  std::string note;  ///< a line on why it is not the one that a user may expect; or empty
};

/// The profile in `file`, if there is such a file and it is of the GPU `gpu`, or there is no GPU; else the
/// one of that GPU that comes with the library; else h200. Throws for a file that is no profile.
Machine machine(const std::string& file, const std::string& gpu);

}  // namespace typewarp::cli
