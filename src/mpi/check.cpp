// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/mpi.hpp>

#include "mpi/large.hpp"

#include <array>

namespace typewarp::mpi {

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  int error_class = MPI_ERR_UNKNOWN;
  MPI_Error_class(code, &error_class);
  throw MpiError(call, code, error_class, {text.data(), static_cast<std::size_t>(length)});
}

// MPI 3 has calls of its own for sizes of 64 bits.
#if MPI_VERSION >= 4
#define TYPEWARP_MPI_64(call) call##_c
#else
#define TYPEWARP_MPI_64(call) call##_x
#endif

TypeBounds bounds(MPI_Datatype datatype) {
  MPI_Count lb = 0;
  MPI_Count extent = 0;
  check(TYPEWARP_MPI_64(MPI_Type_get_extent)(datatype, &lb, &extent), "MPI_Type_get_extent");
  return {lb, extent};
}

TypeBounds true_bounds(MPI_Datatype datatype) {
  MPI_Count lb = 0;
  MPI_Count extent = 0;
  check(TYPEWARP_MPI_64(MPI_Type_get_true_extent)(datatype, &lb, &extent), "MPI_Type_get_true_extent");
  return {lb, extent};
}

std::int64_t size(MPI_Datatype datatype) {
  MPI_Count bytes = 0;
  check(TYPEWARP_MPI_64(MPI_Type_size)(datatype, &bytes), "MPI_Type_size");
  return bytes;
}

}  // namespace typewarp::mpi
