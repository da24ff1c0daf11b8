// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: unreadable <kind of memory>
// Memory of a device with a datatype that the library cannot read: each call that could only leave it to the MPI,
// which cannot touch it, must be refused by an error of class MPI_ERR_TYPE that names the datatype. With one rank,
// so that nobody waits for what is refused. And datatypes of the MPI's own, which are read, whatever they are.
#include "../common/memory.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { depth = 1100, items = 8, tag = 3 };
static const char type_name[] = "nobody_reads_this";

static int wrong, calls;
static MPI_Comm comm;
static MPI_Datatype type;
static int* there;  ///< on the device
static int here[4 * items];

static void expect_refused(const char* call, int code) {
  char text[MPI_MAX_ERROR_STRING] = "success";
  int class = MPI_SUCCESS, length = 0;
  ++calls;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  if (code != MPI_SUCCESS) MPI_Error_string(code, text, &length);
  if (class == MPI_ERR_TYPE && strstr(text, type_name) != NULL) return;
  ++wrong;
  printf("%s: %s\n", call, text);
  fflush(stdout);
}
#define REFUSED(call, ...) expect_refused(#call, call(__VA_ARGS__))

static MPI_Datatype deep(void) {
  MPI_Datatype made, above;
  MPI_Type_vector(2, 1, 2, MPI_INT, &made);
  for (int i = 0; i < depth; ++i) {
    MPI_Type_contiguous(1, made, &above);
    MPI_Type_free(&made);
    made = above;
  }
  MPI_Type_set_name(made, type_name);
  MPI_Type_commit(&made);
  return made;
}

/// Nothing is read or written, so nothing is refused.
static void with_nobody(void) {
  MPI_Request request;
  const int codes[] = {
      MPI_Send(there, 1, type, MPI_PROC_NULL, tag, comm),
      MPI_Recv(there, 1, type, MPI_PROC_NULL, tag, comm, MPI_STATUS_IGNORE),
      MPI_Sendrecv(there, 1, type, MPI_PROC_NULL, tag, here, 0, MPI_INT, MPI_PROC_NULL, tag, comm, MPI_STATUS_IGNORE),
      MPI_Isend(NULL, 0, MPI_INT, 0, tag, comm, &request),
      MPI_Sendrecv(there, 1, type, MPI_PROC_NULL, tag, here, 0, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE),
      MPI_Wait(&request, MPI_STATUS_IGNORE),
      MPI_Bcast(there, 0, type, 0, comm),
      MPI_Recv_init(there, 1, type, MPI_PROC_NULL, tag, comm, &request),
      MPI_Request_free(&request)};
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; ++i) {
    if (codes[i] == MPI_SUCCESS) continue;
    ++wrong;
    printf("call %d without data: code %d\n", (int)i, codes[i]);
  }
}

static void messages(void) {
  MPI_Request request;
  REFUSED(MPI_Send, there, 1, type, 0, tag, comm);
  REFUSED(MPI_Ssend, there, 1, type, 0, tag, comm);
  REFUSED(MPI_Rsend, there, 1, type, 0, tag, comm);
  REFUSED(MPI_Bsend, there, 1, type, 0, tag, comm);
  REFUSED(MPI_Isend, there, 1, type, 0, tag, comm, &request);
  REFUSED(MPI_Issend, there, 1, type, 0, tag, comm, &request);
  REFUSED(MPI_Irsend, there, 1, type, 0, tag, comm, &request);
  REFUSED(MPI_Ibsend, there, 1, type, 0, tag, comm, &request);
  REFUSED(MPI_Send_init, there, 1, type, 0, tag, comm, &request);
  REFUSED(MPI_Ssend_init, there, 1, type, 0, tag, comm, &request);
  REFUSED(MPI_Rsend_init, there, 1, type, 0, tag, comm, &request);
  REFUSED(MPI_Bsend_init, there, 1, type, 0, tag, comm, &request);
  REFUSED(MPI_Recv, there, 1, type, 0, tag, comm, MPI_STATUS_IGNORE);
  REFUSED(MPI_Irecv, there, 1, type, MPI_ANY_SOURCE, tag, comm, &request);
  REFUSED(MPI_Recv_init, there, 1, type, 0, tag, comm, &request);
  REFUSED(MPI_Sendrecv, there, 1, type, 0, tag, here, 1, type, 0, tag, comm, MPI_STATUS_IGNORE);
  REFUSED(MPI_Sendrecv, here, 1, type, 0, tag, there, 1, type, 0, tag, comm, MPI_STATUS_IGNORE);
  REFUSED(MPI_Sendrecv_replace, there, 1, type, 0, tag, 0, tag, comm, MPI_STATUS_IGNORE);
#if MPI_VERSION >= 4
  REFUSED(MPI_Send_c, there, 1, type, 0, tag, comm);
  REFUSED(MPI_Recv_c, there, 1, type, 0, tag, comm, MPI_STATUS_IGNORE);
  REFUSED(MPI_Isendrecv, there, 1, type, 0, tag, here, 1, type, 0, tag, comm, &request);
  REFUSED(MPI_Isendrecv_replace, there, 1, type, 0, tag, 0, tag, comm, &request);
#endif
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
  REFUSED(MPI_Psend_init, there, 1, 1, type, 0, tag, comm, MPI_INFO_NULL, &request);
  REFUSED(MPI_Precv_init, there, 1, 1, type, 0, tag, comm, MPI_INFO_NULL, &request);
#endif
}

// What was matched is not lost.
static void matched(void) {
  MPI_Message message;
  MPI_Request sent, request;
  MPI_Isend(NULL, 0, MPI_INT, 0, tag, comm, &sent);
  MPI_Mprobe(0, tag, comm, &message, MPI_STATUS_IGNORE);
  REFUSED(MPI_Mrecv, there, 1, type, &message, MPI_STATUS_IGNORE);
  REFUSED(MPI_Imrecv, there, 1, type, &message, &request);
  MPI_Mrecv(here, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

static void packing(void) {
  char packed[256];
  int at = 0;
  REFUSED(MPI_Pack, there, 1, type, packed, sizeof packed, &at, comm);
  REFUSED(MPI_Unpack, packed, sizeof packed, &at, there, 1, type, comm);
  REFUSED(MPI_Pack, here, 1, type, there, 2 * sizeof(int), &at, comm);
  REFUSED(MPI_Unpack, there, 2 * sizeof(int), &at, here, 1, type, comm);
}

static void add(void* in, void* inout, int* length, MPI_Datatype* of) {
  (void)in, (void)inout, (void)length, (void)of;
}

static void collectives(void) {
  MPI_Request request;
  MPI_Op op;
  const int one[] = {1}, none[] = {0};
  const MPI_Datatype types[] = {type};
  MPI_Op_create(add, 1, &op);
  REFUSED(MPI_Bcast, there, 1, type, 0, comm);
  REFUSED(MPI_Gather, there, 1, type, here, 1, type, 0, comm);
  REFUSED(MPI_Gather, here, 1, type, there, 1, type, 0, comm);
  REFUSED(MPI_Gatherv, here, 1, type, there, one, none, type, 0, comm);
  REFUSED(MPI_Scatter, there, 1, type, here, 1, type, 0, comm);
  REFUSED(MPI_Scatterv, there, one, none, type, here, 1, type, 0, comm);
  REFUSED(MPI_Allgather, here, 1, type, there, 1, type, comm);
  REFUSED(MPI_Allgatherv, there, 1, type, here, one, none, type, comm);
  REFUSED(MPI_Alltoall, there, 1, type, here, 1, type, comm);
  REFUSED(MPI_Alltoallv, there, one, none, type, here, one, none, type, comm);
  REFUSED(MPI_Alltoallw, here, one, none, types, there, one, none, types, comm);
  REFUSED(MPI_Reduce, there, here, 1, type, op, 0, comm);
  REFUSED(MPI_Allreduce, here, there, 1, type, op, comm);
  REFUSED(MPI_Scan, there, here, 1, type, op, comm);
  REFUSED(MPI_Exscan, there, here, 1, type, op, comm);
  REFUSED(MPI_Reduce_scatter_block, there, here, 1, type, op, comm);
  REFUSED(MPI_Reduce_scatter, there, here, one, type, op, comm);
  REFUSED(MPI_Reduce_local, there, here, 1, type, op);
  REFUSED(MPI_Ibcast, there, 1, type, 0, comm, &request);
  REFUSED(MPI_Igather, there, 1, type, here, 1, type, 0, comm, &request);
  REFUSED(MPI_Iallgather, here, 1, type, there, 1, type, comm, &request);
  REFUSED(MPI_Ialltoallv, there, one, none, type, here, one, none, type, comm, &request);
  REFUSED(MPI_Iallreduce, here, there, 1, type, op, comm, &request);
#if MPI_VERSION >= 4
  REFUSED(MPI_Bcast_init, there, 1, type, 0, comm, MPI_INFO_NULL, &request);
  REFUSED(MPI_Allreduce_init, there, here, 1, type, op, comm, MPI_INFO_NULL, &request);
#endif
  MPI_Op_free(&op);
}

static void files(void) {
  char path[64];
  MPI_File file;
  MPI_Request request;
  snprintf(path, sizeof path, "unreadable_%d", (int)getpid());
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  if (MPI_File_open(comm, path, mode, MPI_INFO_NULL, &file) != MPI_SUCCESS) {
    ++wrong;
    printf("no file\n");
    return;
  }
  REFUSED(MPI_File_write, file, there, 1, type, MPI_STATUS_IGNORE);
  REFUSED(MPI_File_read, file, there, 1, type, MPI_STATUS_IGNORE);
  REFUSED(MPI_File_write_at, file, 0, there, 1, type, MPI_STATUS_IGNORE);
  REFUSED(MPI_File_read_all, file, there, 1, type, MPI_STATUS_IGNORE);
  REFUSED(MPI_File_write_all, file, there, 1, type, MPI_STATUS_IGNORE);
  REFUSED(MPI_File_write_shared, file, there, 1, type, MPI_STATUS_IGNORE);
  REFUSED(MPI_File_write_ordered, file, there, 1, type, MPI_STATUS_IGNORE);
  REFUSED(MPI_File_write_all_begin, file, there, 1, type);
  REFUSED(MPI_File_iread, file, there, 1, type, &request);
  REFUSED(MPI_File_iwrite_at_all, file, 0, there, 1, type, &request);
  MPI_File_close(&file);
}

static void windows(void) {
  MPI_Win window;
  MPI_Request request;
  int* base;
  MPI_Win_allocate(sizeof here, 1, MPI_INFO_NULL, comm, &base, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  MPI_Win_lock_all(0, window);
  REFUSED(MPI_Put, there, 1, type, 0, 0, 1, type, window);
  REFUSED(MPI_Get, there, 1, type, 0, 0, 1, type, window);
  REFUSED(MPI_Accumulate, there, 1, type, 0, 0, 1, type, MPI_REPLACE, window);
  REFUSED(MPI_Get_accumulate, here, 1, type, there, 1, type, 0, 0, 1, type, MPI_REPLACE, window);
  REFUSED(MPI_Rput, there, 1, type, 0, 0, 1, type, window, &request);
  REFUSED(MPI_Rget, there, 1, type, 0, 0, 1, type, window, &request);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  // Windows of a device's memory: the target's datatype.
  if (MPI_Win_create(there, 4 * items * sizeof(int), 1, MPI_INFO_NULL, comm, &window) == MPI_SUCCESS) {
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_lock_all(0, window);
    REFUSED(MPI_Put, here, 2, MPI_INT, 0, 0, 1, type, window);
    REFUSED(MPI_Get, here, 2, MPI_INT, 0, 0, 1, type, window);
    REFUSED(MPI_Put, there, 1, type, 0, 0, 2, MPI_INT, window);
    // The origin's, in host memory, is the MPI's to read.
    for (int i = 0; i < 4; ++i) here[i] = i + 1;
    int back[] = {-1, -1, -1, -1};
    if (MPI_Put(here, 1, type, 0, 0, 2, MPI_INT, window) || MPI_Win_flush(0, window) ||
        MPI_Get(back, 1, type, 0, 0, 2, MPI_INT, window) || MPI_Win_flush(0, window) || back[0] != 1 || back[1] != -1 ||
        back[2] != 3) {
      ++wrong;
      printf("what a window's calls move with %s is wrong: %d %d %d\n", type_name, back[0], back[1], back[2]);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
  }
  MPI_Aint address;
  MPI_Get_address(there, &address);
  MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  if (MPI_Win_attach(window, there, 4 * items * sizeof(int)) == MPI_SUCCESS) {
    MPI_Win_lock_all(0, window);
    REFUSED(MPI_Put, here, 2, MPI_INT, 0, address, 1, type, window);
    REFUSED(MPI_Get, here, 2, MPI_INT, 0, address, 1, type, window);
    MPI_Win_unlock_all(window);
    MPI_Win_detach(window, there);
  }
  MPI_Win_free(&window);
}

/// Two items of a predefined datatype, from the device to the device.
static void predefined(MPI_Datatype of) {
  unsigned char bytes[128], back[128];
  int size = 0;
  if (of == MPI_DATATYPE_NULL || MPI_Type_size(of, &size) != MPI_SUCCESS || size == 0) return;
  char* const memory = (char*)there;
  for (int i = 0; i < 4 * size; ++i) bytes[i] = (unsigned char)(i < 2 * size ? i + 1 : 0);
  memory_write(memory, bytes, (size_t)(4 * size));
  const int code = MPI_Sendrecv(memory, 2, of, 0, tag, memory + 2 * size, 2, of, 0, tag, comm, MPI_STATUS_IGNORE);
  memory_read(back, memory, (size_t)(4 * size));
  ++calls;
  if (code == MPI_SUCCESS && memcmp(back, bytes, (size_t)(2 * size)) == 0 &&
      memcmp(back + 2 * size, bytes, (size_t)(2 * size)) == 0)
    return;
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  MPI_Type_get_name(of, name, &length);
  ++wrong;
  printf("%s: code %d, or other bytes\n", name, code);
}

static void all_predefined(void) {
  const MPI_Datatype all[] = {
      MPI_INT,  MPI_LONG_DOUBLE, MPI_INTEGER, MPI_DOUBLE_COMPLEX,
#ifdef MPI_INTEGER16
      MPI_INTEGER16,
#endif
#ifdef MPI_REAL2
      MPI_REAL2,
#endif
#ifdef MPI_COMPLEX4
      MPI_COMPLEX4,
#endif
#ifdef MPI_2COMPLEX
      MPI_2COMPLEX, MPI_2DOUBLE_COMPLEX,
#endif
#ifdef MPIX_C_FLOAT16
      MPIX_C_FLOAT16, MPIX_BFLOAT16,
#endif
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) predefined(all[i]);
}

int main(int argc, char** argv) {
  memory_kind(argc > 1 ? argv[1] : "host");
  MPI_Init(&argc, &argv);
  memory_device(0);
  there = memory_get(4 * items * sizeof(int));
  type = deep();
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  with_nobody();
  messages();
  matched();
  packing();
  collectives();
  files();
  windows();
  all_predefined();
  MPI_Comm_free(&comm);
  MPI_Type_free(&type);
  memory_free(there);
  MPI_Finalize();
  printf(wrong == 0 ? "all %d calls are right\n" : "after %d calls: something is wrong\n", calls);
  return wrong != 0;
}
