// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The info key and the function by which a program names a stream, as a program uses them that was not built
// with them. Without a GPU no stream is used; what is checked is what is taken and what refused. Exits with 1
// at the first wrong answer.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(int condition, const char* what, const char* value) {
  if (condition) return;
  fprintf(stderr, "%s: '%s'\n", what, value);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

static MPI_Info info_with(const char* value) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "typewarp_stream", value);
  return info;
}

static void try_value(const char* value, int error_class) {
  MPI_Info info = info_with(value);
  MPI_Comm comm, made = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  expect(class_of(MPI_Comm_set_info(comm, info)) == error_class, "MPI_Comm_set_info", value);
  expect(class_of(MPI_Comm_dup_with_info(comm, info, &made)) == error_class, "MPI_Comm_dup_with_info", value);
  expect((made == MPI_COMM_NULL) == (error_class != MPI_SUCCESS), "a communicator in spite of it", value);
  // Where there is a GPU, a stream that messages are ordered with must be one.
  const int usable = made != MPI_COMM_NULL && strtoull(value, NULL, 0) == 0;
  if (usable) {
    int sent = 5, received = 0;
    MPI_Sendrecv(&sent, 1, MPI_INT, 0, 0, &received, 1, MPI_INT, 0, 0, made, MPI_STATUS_IGNORE);
    expect(received == sent, "a message", value);
  }
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
  MPI_Comm_free(&comm);
  MPI_Info_free(&info);
}

int main(int argc, char** argv) {
  char long_value[80];
  void (*set_stream)(void*) = (void (*)(void*))dlsym(RTLD_DEFAULT, "typewarp_set_stream");
  if (set_stream != NULL) set_stream(long_value);  // before any call of MPI
  MPI_Init(&argc, &argv);
  expect(set_stream != NULL, "typewarp_set_stream", "is not there");
  memset(long_value, '1', sizeof long_value - 1);
  long_value[sizeof long_value - 1] = '\0';
  static const char* const good[] = {
      "0", "1", "0x0", "0x7f12AB34cd00", "139639226547456", "0xffffffffffffffff"};
  static const char* const bad[] = {
      "none", "0x", "0xg", "12 ", "12x", "-1", "+1", "x12", "0x10000000000000000", "1.5"};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) try_value(good[i], MPI_SUCCESS);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) try_value(bad[i], MPI_ERR_INFO_VALUE);
  try_value(long_value, MPI_ERR_INFO_VALUE);
  MPI_Info others;
  MPI_Info_create(&others);
  MPI_Info_set(others, "mpi_assert_no_any_tag", "false");
  expect(MPI_Comm_set_info(MPI_COMM_SELF, others) == MPI_SUCCESS, "another key", "is refused");
  MPI_Info_free(&others);
  set_stream(NULL);
  MPI_Finalize();
  printf("all as expected\n");
  return 0;
}
