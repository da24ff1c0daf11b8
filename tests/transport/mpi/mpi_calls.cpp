// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/mpi_calls.hpp"

#include <mpi.h>

#include <atomic>

namespace typewarp::test {
namespace {

std::atomic<int> communicators{0}, groups{0}, keyvals{0};
std::atomic<std::int64_t> tests{0};

/// What is to fail.
struct Failures {
  std::atomic<int> until_first{0};  ///< calls; 0 or less: none is to fail
  std::atomic<int> others{0};       ///< at once behind the first
};
Failures of_sends, of_receives;
std::atomic<bool> failed{false};

bool fails(Failures& failures) {
  if (failures.until_first <= 0 || --failures.until_first != 0) return false;
  if (failures.others-- > 0) failures.until_first = 1;
  failed = true;
  return true;
}

int counted(int code, std::atomic<int>& objects, int change) {
  if (code == MPI_SUCCESS) objects += change;
  return code;
}

}  // namespace

MpiObjects mpi_objects() { return {communicators, groups, keyvals}; }

std::int64_t mpi_tests() { return tests; }

FailingMpi::FailingMpi(Posting what, int nth, int times) {
  failed = false;
  Failures& failures = what == Posting::send ? of_sends : of_receives;
  failures.others = times - 1;
  failures.until_first = nth;
}

FailingMpi::~FailingMpi() { of_sends.until_first = of_receives.until_first = 0; }

bool FailingMpi::happened() const { return failed; }

}  // namespace typewarp::test

using namespace typewarp::test;

extern "C" {

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  return counted(PMPI_Comm_dup(comm, made), communicators, 1);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) {
  return counted(PMPI_Comm_dup_with_info(comm, info, made), communicators, 1);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  return counted(PMPI_Comm_split_type(comm, type, key, info, made), communicators, 1);
}

int MPI_Comm_free(MPI_Comm* comm) { return counted(PMPI_Comm_free(comm), communicators, -1); }

int MPI_Comm_group(MPI_Comm comm, MPI_Group* made) { return counted(PMPI_Comm_group(comm, made), groups, 1); }

int MPI_Group_free(MPI_Group* group) { return counted(PMPI_Group_free(group), groups, -1); }

int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* forget,
                           int* made, void* state) {
  return counted(PMPI_Comm_create_keyval(copy, forget, made, state), keyvals, 1);
}

int MPI_Comm_free_keyval(int* keyval) { return counted(PMPI_Comm_free_keyval(keyval), keyvals, -1); }

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  ++tests;
  return PMPI_Test(request, done, status);
}

#if MPI_VERSION >= 4

int MPI_Isend_c(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                MPI_Request* request) {
  if (fails(of_sends)) return MPI_ERR_OTHER;
  return PMPI_Isend_c(data, count, type, to, tag, comm, request);
}

int MPI_Irecv_c(void* data, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                MPI_Request* request) {
  if (fails(of_receives)) return MPI_ERR_OTHER;
  return PMPI_Irecv_c(data, count, type, from, tag, comm, request);
}

#else

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  if (fails(of_sends)) return MPI_ERR_OTHER;
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  if (fails(of_receives)) return MPI_ERR_OTHER;
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

#endif
}
