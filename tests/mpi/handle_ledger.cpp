// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/handle_ledger.hpp"

#include "mpi/large.hpp"

namespace typewarp::test {

HandleLedger& ledger() {
  static HandleLedger instance;
  return instance;
}

namespace {

bool predefined(MPI_Datatype datatype) {
  int combiner = 0;
#if MPI_VERSION >= 4
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count large_counts = 0;
  MPI_Count datatypes = 0;
  PMPI_Type_get_envelope_c(datatype, &integers, &addresses, &large_counts, &datatypes, &combiner);
#else
  int integers = 0;
  int addresses = 0;
  int datatypes = 0;
  PMPI_Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner);
#endif
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

/// Calls a constructor, unless it is its turn to fail.
template <typename Construct>
int make(Construct construct) {
  if (ledger().constructors_left-- == 0) return MPI_ERR_NO_MEM;
  const int code = construct();
  if (code == MPI_SUCCESS) ++ledger().made;
  return code;
}

template <typename Number>
int note_handed_out(int code, Number count, const MPI_Datatype* datatypes) {
  for (Number i = 0; code == MPI_SUCCESS && i < count; ++i) {
    if (!predefined(datatypes[i])) ++ledger().handed_out;
  }
  return code;
}

}  // namespace
}  // namespace typewarp::test

using typewarp::mpi::Count;
using typewarp::mpi::Displacement;
using typewarp::test::ledger;
using typewarp::test::make;
using typewarp::test::note_handed_out;

extern "C" {

int MPI_Type_free(MPI_Datatype* datatype) {
  ++(typewarp::test::predefined(*datatype) ? ledger().freed_named : ledger().freed);
  return PMPI_Type_free(datatype);
}

#if MPI_VERSION >= 4
int MPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                            MPI_Count max_large_counts, MPI_Count max_datatypes, int* integers,
                            MPI_Aint* addresses, MPI_Count* large_counts, MPI_Datatype* datatypes) {
  return note_handed_out(
      PMPI_Type_get_contents_c(datatype, max_integers, max_addresses, max_large_counts, max_datatypes,
                               integers, addresses, large_counts, datatypes),
      max_datatypes, datatypes);
}
#else
int MPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
                          int* integers, MPI_Aint* addresses, MPI_Datatype* datatypes) {
  return note_handed_out(PMPI_Type_get_contents(datatype, max_integers, max_addresses, max_datatypes,
                                                integers, addresses, datatypes),
                         max_datatypes, datatypes);
}
#endif

// The constructors that encode() calls: the large ones where the MPI has them.
#define TYPEWARP_COUNTED(call, parameters, arguments)                   \
  int TYPEWARP_MPI_LARGE(call) parameters {                             \
    return make([&] { return TYPEWARP_MPI_LARGE(P##call) arguments; }); \
  }
TYPEWARP_COUNTED(MPI_Type_contiguous, (Count count, MPI_Datatype child, MPI_Datatype* made),
                 (count, child, made))
TYPEWARP_COUNTED(MPI_Type_vector,
                 (Count count, Count length, Count stride, MPI_Datatype child, MPI_Datatype* made),
                 (count, length, stride, child, made))
TYPEWARP_COUNTED(MPI_Type_create_hvector,
                 (Count count, Count length, Displacement stride, MPI_Datatype child, MPI_Datatype* made),
                 (count, length, stride, child, made))
TYPEWARP_COUNTED(MPI_Type_indexed,
                 (Count count, const Count* lengths, const Count* displacements, MPI_Datatype child,
                  MPI_Datatype* made),
                 (count, lengths, displacements, child, made))
TYPEWARP_COUNTED(MPI_Type_create_hindexed,
                 (Count count, const Count* lengths, const Displacement* displacements, MPI_Datatype child,
                  MPI_Datatype* made),
                 (count, lengths, displacements, child, made))
TYPEWARP_COUNTED(MPI_Type_create_indexed_block,
                 (Count count, Count length, const Count* displacements, MPI_Datatype child,
                  MPI_Datatype* made),
                 (count, length, displacements, child, made))
TYPEWARP_COUNTED(MPI_Type_create_hindexed_block,
                 (Count count, Count length, const Displacement* displacements, MPI_Datatype child,
                  MPI_Datatype* made),
                 (count, length, displacements, child, made))
TYPEWARP_COUNTED(MPI_Type_create_struct,
                 (Count count, const Count* lengths, const Displacement* displacements,
                  const MPI_Datatype* children, MPI_Datatype* made),
                 (count, lengths, displacements, children, made))
TYPEWARP_COUNTED(MPI_Type_create_subarray,
                 (int dimensions, const Count* sizes, const Count* subsizes, const Count* starts, int order,
                  MPI_Datatype child, MPI_Datatype* made),
                 (dimensions, sizes, subsizes, starts, order, child, made))
TYPEWARP_COUNTED(MPI_Type_create_darray,
                 (int size, int rank, int dimensions, const Count* global_sizes, const int* distributions,
                  const int* arguments, const int* process_sizes, int order, MPI_Datatype child,
                  MPI_Datatype* made),
                 (size, rank, dimensions, global_sizes, distributions, arguments, process_sizes, order, child,
                  made))
TYPEWARP_COUNTED(MPI_Type_create_resized,
                 (MPI_Datatype child, Displacement lb, Displacement extent, MPI_Datatype* made),
                 (child, lb, extent, made))

int MPI_Type_dup(MPI_Datatype child, MPI_Datatype* made) {
  return make([&] { return PMPI_Type_dup(child, made); });
}

}  // extern "C"
