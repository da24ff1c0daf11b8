// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/library.hpp"

#include <mpi.h>

#include <array>
#include <string_view>

namespace typewarp::mpi {

// MPICH takes half a microsecond to say it.
bool is_open_mpi() noexcept {
  static const bool is_it = [] {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
    int length = 0;
    MPI_Get_library_version(version.data(), &length);
    return std::string_view(version.data()).starts_with("Open MPI");
  }();
  return is_it;
}

}  // namespace typewarp::mpi
