// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace apps {

/// The ways to exchange ghost cells.
enum class By : std::uint8_t {
  hand,      ///< pack loops or kernels, messages in memory of the host, and the MPI
  mpi,       ///< datatypes of the MPI, in plain MPI calls
  typewarp,  ///< the library's halo layer
};

inline std::string_view name(By way) noexcept {
  constexpr std::string_view names[] = {"hand", "mpi", "typewarp"};
  return names[static_cast<std::size_t>(way)];
}

}  // namespace apps
