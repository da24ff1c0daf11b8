// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/launch/family.hpp"

#include "cli/common/words.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace typewarp::cli {
namespace {

/// Launchers that go by their name.
constexpr std::array<std::pair<std::string_view, Family>, 12> names{{
    {"prterun", Family::open_mpi},
    {"prun", Family::open_mpi},
    {"orterun", Family::open_mpi},
    {"oshrun", Family::open_mpi},
    {"mpiexec.hydra", Family::hydra},
    {"srun", Family::slurm},
    {"flux", Family::flux},
    {"jsrun", Family::jsrun},
    {"aprun", Family::aprun},
    {"ibrun", Family::unknown},
    {"lrun", Family::unknown},
    {"poe", Family::unknown},
}};

/// What `mpiexec --version` says.
constexpr std::array<std::pair<std::string_view, Family>, 8> versions{{
    {"Open MPI", Family::open_mpi},
    {"OpenRTE", Family::open_mpi},
    {"PRRTE", Family::open_mpi},
    {"PALS", Family::pals},
    {"HYDRA", Family::hydra},
    {"Hydra", Family::hydra},
    {"Intel(R) MPI", Family::hydra},
    {"MVAPICH", Family::hydra},
}};

}  // namespace

Family family_of(const std::string& program, const System& system) {
  const std::string name = base_name(program);
  for (const auto& [known, family] : names) {
    if (name == known) return family;
  }
  // mpirun_rsh, mpiexec_mpt, mpiexec.openmpi, ccc_mprun
  const bool starts_ranks = name.find("mpirun") != std::string::npos ||
                            name.find("mpiexec") != std::string::npos ||
                            name.find("mprun") != std::string::npos;
  if (!starts_ranks) return Family::none;
  const std::string version = system.version_of(program);
  for (const auto& [text, family] : versions) {
    if (version.find(text) != std::string::npos) return family;
  }
  return Family::unknown;
}

}  // namespace typewarp::cli
