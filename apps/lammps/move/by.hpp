// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

namespace lammps {

/// The ways to move atoms between ranks.
enum class By : std::uint8_t {
  hand,      ///< gather loops or kernels, staging buffers of the host, and the MPI
  mpi,       ///< datatypes of the MPI, in plain MPI calls
  messages,  ///< messages of the library
  exchange,  ///< the library: an Exchange for what is repeated, messages for the rest
  put,       ///< the library: into memory that neighbours have registered, by one kernel
};
std::string_view name(By way) noexcept;

}  // namespace lammps
