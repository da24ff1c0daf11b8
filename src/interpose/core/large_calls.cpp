// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// One ABI serves MPIs of several versions: MPICH 3.1 and later, and those that follow it. The core is built
// with the large-count calls of MPI 4, of which older ones lack all, and MPICH 4.0 one. What the core calls
// is therefore here, hidden from everybody else: the MPI's own where it has it, else by int. No type that an
// MPI without these calls can make holds more than they can say.

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <climits>

namespace {

/// The MPI's function of that name, or null.
template <class F>
F* of_mpi(const char* name) noexcept {
  return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
}

int too_large(MPI_Comm comm) noexcept {
  PMPI_Comm_call_errhandler(comm, MPI_ERR_COUNT);
  return MPI_ERR_COUNT;
}

}  // namespace

extern "C" {

#define OF_MPI(call) static auto* const own = of_mpi<decltype(call)>(#call)

// Sends: of a buffer, a count, and what follows these.
#define SEND(call, parameters, ...)                          \
  int call##_c parameters {                                  \
    OF_MPI(call##_c);                                        \
    if (own != nullptr) return own(buf, count, __VA_ARGS__); \
    if (count > INT_MAX) return too_large(comm);             \
    return call(buf, static_cast<int>(count), __VA_ARGS__);  \
  }
#define SENT const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm
SEND(PMPI_Send, (SENT), datatype, dest, tag, comm)
SEND(PMPI_Bsend, (SENT), datatype, dest, tag, comm)
SEND(PMPI_Isend, (SENT, MPI_Request* request), datatype, dest, tag, comm, request)
SEND(PMPI_Issend, (SENT, MPI_Request* request), datatype, dest, tag, comm, request)
#undef SENT
#undef SEND

// No message is longer than an int says, so neither needs the room to be.
int PMPI_Irecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  OF_MPI(PMPI_Irecv_c);
  if (own != nullptr) return own(buf, count, datatype, source, tag, comm, request);
  const auto narrow = static_cast<int>(std::min<MPI_Count>(count, INT_MAX));
  return PMPI_Irecv(buf, narrow, datatype, source, tag, comm, request);
}

int PMPI_Imrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
                  MPI_Request* request) {
  OF_MPI(PMPI_Imrecv_c);
  if (own != nullptr) return own(buf, count, datatype, message, request);
  const auto narrow = static_cast<int>(std::min<MPI_Count>(count, INT_MAX));
  return PMPI_Imrecv(buf, narrow, datatype, message, request);
}

int PMPI_Get_count_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  OF_MPI(PMPI_Get_count_c);
  if (own != nullptr) return own(status, datatype, count);
  int narrow = 0;
  const int code = PMPI_Get_count(status, datatype, &narrow);
  *count = narrow;
  return code;
}

// What MPI 3 has with another name.
#define BY_X(call, parameters, ...)                                   \
  int call##_c parameters {                                           \
    OF_MPI(call##_c);                                                 \
    return own != nullptr ? own(__VA_ARGS__) : call##_x(__VA_ARGS__); \
  }
BY_X(PMPI_Status_set_elements, (MPI_Status * status, MPI_Datatype datatype, MPI_Count count), status,
     datatype, count)
BY_X(PMPI_Type_size, (MPI_Datatype datatype, MPI_Count* size), datatype, size)
BY_X(PMPI_Type_get_extent, (MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent), datatype, lb, extent)
BY_X(PMPI_Type_get_true_extent, (MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent), datatype, lb,
     extent)
#undef BY_X

int PMPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count* integers, MPI_Count* addresses,
                             MPI_Count* large_counts, MPI_Count* datatypes, int* combiner) {
  OF_MPI(PMPI_Type_get_envelope_c);
  if (own != nullptr) return own(datatype, integers, addresses, large_counts, datatypes, combiner);
  int n_integers = 0;
  int n_addresses = 0;
  int n_datatypes = 0;
  const int code = PMPI_Type_get_envelope(datatype, &n_integers, &n_addresses, &n_datatypes, combiner);
  *integers = n_integers;
  *addresses = n_addresses;
  *large_counts = 0;
  *datatypes = n_datatypes;
  return code;
}

int PMPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                             MPI_Count max_large_counts, MPI_Count max_datatypes, int integers[],
                             MPI_Aint addresses[], MPI_Count large_counts[], MPI_Datatype datatypes[]) {
  OF_MPI(PMPI_Type_get_contents_c);
  if (own != nullptr) {
    return own(datatype, max_integers, max_addresses, max_large_counts, max_datatypes, integers, addresses,
               large_counts, datatypes);
  }
  return PMPI_Type_get_contents(datatype, static_cast<int>(max_integers), static_cast<int>(max_addresses),
                                static_cast<int>(max_datatypes), integers, addresses, datatypes);
}

#undef OF_MPI

}  // extern "C"
