// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "by_hand.hpp"

/// What one writes by the MPI's own datatypes and nothing else: in host memory, and under the preload library
/// in any.
namespace typewarp::halo_bench {

/// Packs each field and direction by MPI_Pack, and unpacks it by MPI_Unpack.
MoverOf mpi_pack(const Subject& subject);

/// One datatype a direction, of all fields, sent from where they lie: there is nothing to pack. `arrays` is
/// the first of them, the others follow as they do in the subject.
Way by_datatype(const Subject& subject, double* arrays);

}  // namespace typewarp::halo_bench
