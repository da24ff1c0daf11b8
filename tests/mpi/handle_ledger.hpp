// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// Counts datatype handles through MPI's profiling interface: this program's MPI_Type_* are wrappers around
/// PMPI_Type_*.
namespace typewarp::test {

struct HandleLedger {
  std::int64_t made = 0;         ///< derived handles that constructors returned
  std::int64_t handed_out = 0;   ///< derived handles that MPI_Type_get_contents returned
  std::int64_t freed = 0;        ///< handles freed
  std::int64_t freed_named = 0;  ///< predefined handles that somebody tried to free

  /// The constructor after so many more fails with MPI_ERR_NO_MEM; never if negative.
  std::int64_t constructors_left = -1;

  std::int64_t outstanding() const { return made + handed_out - freed; }
};

HandleLedger& ledger();

}  // namespace typewarp::test
