// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace typewarp::interpose {

enum class Abi { none, openmpi, mpich, standard };

/// As in libtypewarp_mpi_<name>.so; "none" for an MPI of no known ABI.
const char* name(Abi abi) noexcept;

/// The MPI of this process.
struct MpiLibrary {
  void* handle = nullptr;  ///< null where no MPI was found
  Abi abi = Abi::none;

  /// The function of that name, or null.
  template <class F>
  F* function(const char* symbol) const noexcept {
    return reinterpret_cast<F*>(address(symbol));
  }
  void* address(const char* symbol) const noexcept;
};

/// Whether a path is that of the C library of an MPI, and not of its libraries for Fortran and C++.
bool is_library_of_mpi(const char* path) noexcept;

/// Whether a path is that of a library in which an MPI keeps its Fortran calls.
bool is_fortran_library_of_mpi(const char* path) noexcept;

/// Finds it among the libraries that are loaded, and makes its symbols visible to what is loaded from now on.
MpiLibrary find_library() noexcept;

/// MPI_ERR_UNSUPPORTED_OPERATION.
int unsupported_operation(Abi abi) noexcept;

/// Whether the environment sets `name` to 1.
bool is_set(const char* name) noexcept;

/// With TYPEWARP_VERBOSE=1, one line on stderr; else nothing. As printf.
[[gnu::format(printf, 1, 2)]] void report(const char* format, ...) noexcept;
/// The same, always.
[[gnu::format(printf, 1, 2)]] void warn(const char* format, ...) noexcept;

}  // namespace typewarp::interpose
