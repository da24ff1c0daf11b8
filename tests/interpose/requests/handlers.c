// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls that fail where the error handler of the program returns: an MPI may return MPI_SUCCESS then, and
// leave what the call should have written as it was. Says how often the handler was called, and with which
// class of error, which depend on the MPI alone.
#include "../common/report.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int told, first_class, forgives;

static void note(int* code) {
  if (told++ == 0) MPI_Error_class(*code, &first_class);
  if (forgives) *code = MPI_SUCCESS;
}
static void of_comm(MPI_Comm* comm, int* code, ...) { (void)comm, note(code); }
static void of_file(MPI_File* file, int* code, ...) { (void)file, note(code); }
static void of_window(MPI_Win* window, int* code, ...) { (void)window, note(code); }

static void tell(const char* call, int code) {
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  report("%s%s: told %d times, first of class %d; returns class %d", call, forgives ? ", forgiven" : "", told,
         first_class, class);
  told = first_class = 0;
}
#define TELL(call) tell(#call, MPI_##call)

/// What no call has written.
#define POISON(variable) memset(&(variable), 0x5a, sizeof(variable))

static void make_communicators(MPI_Info hint) {
  MPI_Comm made;
  MPI_Info used;
  for (int i = 0; i < 2; ++i) {
    MPI_Info info = i == 0 ? MPI_INFO_NULL : hint;
    POISON(made);
    TELL(Comm_split_type(MPI_COMM_WORLD, 12345, 0, info, &made));
    POISON(made);
    TELL(Comm_dup_with_info(MPI_COMM_NULL, info, &made));
#if MPI_VERSION >= 4 && !defined(OMPI_MAJOR_VERSION)
    POISON(made);
    TELL(Comm_create_from_group(MPI_GROUP_NULL, "none", info, MPI_ERRORS_RETURN, &made));
    memset(&made, 0, sizeof made);
    TELL(Comm_create_from_group(MPI_GROUP_NULL, "none", info, MPI_ERRORS_RETURN, &made));
#endif
    TELL(Comm_set_info(MPI_COMM_NULL, info));
  }
  POISON(used);
  TELL(Comm_get_info(MPI_COMM_NULL, &used));
}

static void send_messages(void) {
  int word = 0, other = 0, flag = 0;
  MPI_Request request;
  MPI_Message message;
  MPI_Status status;
  POISON(request), POISON(message), POISON(status);
  TELL(Irecv(&word, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request));
  TELL(Irecv(&word, 1, MPI_INT, 99, 0, MPI_COMM_WORLD, &request));
  TELL(Recv_init(&word, 1, MPI_INT, 99, 0, MPI_COMM_WORLD, &request));
  TELL(Recv(&word, 1, MPI_INT, 99, 0, MPI_COMM_WORLD, &status));
  TELL(Sendrecv(&word, 1, MPI_INT, 99, 0, &word, 1, MPI_INT, 99, 0, MPI_COMM_WORLD, &status));
  // Of a call with two messages the right one does not start either.
  TELL(Sendrecv(&word, 1, MPI_INT, 99, 0, &other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status));
  TELL(Sendrecv(&word, 1, MPI_INT, 0, 0, &other, 1, MPI_INT, 99, 0, MPI_COMM_WORLD, &status));
  TELL(Sendrecv_replace(&word, 1, MPI_INT, 99, 0, 0, 0, MPI_COMM_WORLD, &status));
  TELL(Sendrecv_replace(&word, 1, MPI_INT, 0, 0, 99, 0, MPI_COMM_WORLD, &status));
  TELL(Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status));
  report("messages that came: %d", flag);
  flag = 1;
  TELL(Improbe(99, 0, MPI_COMM_WORLD, &flag, &message, &status));
  TELL(Mprobe(99, 0, MPI_COMM_WORLD, &message, &status));
  TELL(Iprobe(99, 0, MPI_COMM_WORLD, &flag, &status));
}

static void make_windows(MPI_Info hint) {
  MPI_Win window;
  MPI_Info used;
  int word = 0;
  void* memory = NULL;
  for (int i = 0; i < 2; ++i) {
    MPI_Info info = i == 0 ? MPI_INFO_NULL : hint;
    POISON(window);
    TELL(Win_create(&word, -1, 1, info, MPI_COMM_WORLD, &window));
    POISON(window);
    TELL(Win_allocate(-1, 1, info, MPI_COMM_WORLD, &memory, &window));
  }
  POISON(used);
  TELL(Win_get_info(MPI_WIN_NULL, &used));
}

enum { items = 1000 };
static int given[items], kept[items];

static void fill(void) {
  for (int i = 0; i < items; ++i) given[i] = i, kept[i] = -i;
}
static void tell_kept(const char* call) {
  int changed = 0;
  for (int i = 0; i < items; ++i) changed += kept[i] != -i || given[i] != i;
  report("%s: %d items changed", call, changed);
}

/// What a call receives into stays as it is if the call fails.
static void collect(void) {
  const int nobody = 99;
  MPI_Request request = MPI_REQUEST_NULL;
  fill();
  TELL(Bcast(kept, items, MPI_INT, nobody, MPI_COMM_WORLD));
  TELL(Scatter(given, items, MPI_INT, kept, items, MPI_INT, nobody, MPI_COMM_WORLD));
  TELL(Allreduce(given, kept, items, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
  TELL(Ibcast(kept, items, MPI_INT, nobody, MPI_COMM_WORLD, &request));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  tell_kept("collective calls");
}

static void get(MPI_Errhandler handler) {
  MPI_Win window;
  fill();
  MPI_Win_create(given, sizeof given, sizeof given[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_set_errhandler(window, handler);
  MPI_Win_fence(0, window);
  TELL(Get(kept, items, MPI_INT, 99, 0, items, MPI_INT, window));
  TELL(Get(kept, items, MPI_INT, 0, 0, items, MPI_DATATYPE_NULL, window));
  MPI_Win_fence(0, window);
  tell_kept("MPI_Get");
  MPI_Win_free(&window);
}

static void use_files(MPI_Info hint, MPI_Errhandler handler) {
  const char* const name = "interpose_handlers.tmp";
  char bytes[80] = {0};
  MPI_File file;
  MPI_Status status;
  MPI_Info used;
  MPI_File_set_errhandler(MPI_FILE_NULL, handler);
  POISON(file);
  TELL(File_open(MPI_COMM_SELF, "/nowhere/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  POISON(file);
  TELL(File_open(MPI_COMM_SELF, "/nowhere/file", MPI_MODE_RDONLY, hint, &file));
  POISON(used);
  TELL(File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                 MPI_INFO_NULL, &file));
  MPI_File_set_errhandler(file, handler);
  for (int run = 0; run < 5; ++run) {  // whatever the status was
    memset(&status, 0x11 * (run + 3), sizeof status);
    TELL(File_read_at(file, 0, bytes, 80, MPI_BYTE, &status));
    memset(&status, 0x7f, sizeof status);
    TELL(File_read(file, bytes, 80, MPI_BYTE, &status));
  }
  memset(&status, 0x7f, sizeof status);
  TELL(File_read_all(file, bytes, 80, MPI_BYTE, &status));
  TELL(File_write_at(file, -7, bytes, 80, MPI_BYTE, &status));
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  MPI_Errhandler comms, files, windows;
  MPI_Info hint;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_errhandler(of_comm, &comms);
  MPI_File_create_errhandler(of_file, &files);
  MPI_Win_create_errhandler(of_window, &windows);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, comms);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, comms);
  MPI_Info_create(&hint);
  MPI_Info_set(hint, "typewarp_priority", "high");
  for (forgives = 0; forgives < 2; ++forgives) {
    make_communicators(hint);
    send_messages();
    make_windows(hint);
    collect();
    get(windows);
    if (!forgives) use_files(hint, files);  // MPICH ends itself where a file's handler forgives
  }
  MPI_Info_free(&hint);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&comms);
  MPI_Errhandler_free(&files);
  MPI_Errhandler_free(&windows);
  report_all();
  MPI_Finalize();
  return 0;
}
