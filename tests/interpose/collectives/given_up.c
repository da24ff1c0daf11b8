// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rank 1 fails in a call that GPUs make at once: one that does not block, or a long broadcast in mapped buffers. When the others have
// started theirs, its launch fails, its device does, or is so late that its time limit passes; or that passes before the others come,
// or before rank 2 launches. No other rank has a limit. All calls end with an error, that of rank 1 says why, and its memory is left
// alone from then on; later calls on the communicator are right.
//
// usage: given_up <kind of memory> launch|device|late|alone|held
#define _GNU_SOURCE
#include "../common/device_rounds.h"
#include "../common/report.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { each = 100000, most_ranks = 8, bad = 1, slow = 2, before = 5, after = 4 };
enum { allreduce, allgather, alltoall, bcast, kinds };

static const cudaError_t failure = (cudaError_t)719;

/// The fault that the next launch of a kernel meets, and the one that it has met.
static enum fault { none, launch_fails, device_fails, is_late, is_alone, is_held } wanted;
static _Atomic(enum fault) next_fault = none, fault_now = none;

/// In memory of all ranks: whether rank 1 has given up.
static _Atomic int* has_given_up;

static void stand_still(void* unused) {
  (void)unused;
  while (atomic_load(&fault_now) == is_late) usleep(1000);
}

/// Whether the launch is to be made.
static int is_launched(cudaStream_t stream) {
  const enum fault fault = atomic_exchange(&next_fault, none);
  if (fault != none) atomic_store(&fault_now, fault);
  if (fault == is_late) cudaLaunchHostFunc(stream, stand_still, NULL);
  while (fault == is_held && !atomic_load(has_given_up)) usleep(1000);
  return fault == none || fault >= is_late;
}
/// Of a kernel that was held: gives it time to do harm before its host looks at anything.
static cudaError_t launched(cudaError_t code) {
  enum fault held = is_held;
  if (atomic_compare_exchange_strong(&fault_now, &held, none)) usleep(500000);
  return code;
}
static cudaError_t not_launched(void) { return atomic_load(&fault_now) == launch_fails ? failure : cudaSuccess; }

// The library launches in either of these ways.
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
  static cudaError_t (*launch)(const cudaLaunchConfig_t*, const void*, void**);
  if (launch == NULL) launch = (cudaError_t(*)(const cudaLaunchConfig_t*, const void*, void**))dlsym(RTLD_NEXT, "cudaLaunchKernelExC");
  return is_launched(config->stream) ? launched(launch(config, kernel, arguments)) : not_launched();
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  static cudaError_t (*launch)(cudaGraphExec_t, cudaStream_t);
  if (launch == NULL) launch = (cudaError_t(*)(cudaGraphExec_t, cudaStream_t))dlsym(RTLD_NEXT, "cudaGraphLaunch");
  return is_launched(stream) ? launched(launch(graph, stream)) : not_launched();
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  static cudaError_t (*query)(cudaStream_t);
  if (query == NULL) query = (cudaError_t(*)(cudaStream_t))dlsym(RTLD_NEXT, "cudaStreamQuery");
  return atomic_load(&fault_now) == device_fails ? failure : query(stream);
}

static int *in, *out, *host;

static int value(int of, int to, int i) { return 1000 * round_now + 100 * of + 10 * to + i % 7; }

/// Gives the code with which the call ends. `comes_later`: when rank 1 says so.
static int call(int kind, MPI_Comm comm, int comes_later) {
  MPI_Request request;
  for (int to = 0; to < size; ++to)
    for (int i = 0; i < each; ++i) host[to * each + i] = value(rank, kind == alltoall ? to : 0, i);
  memory_write(in, host, sizeof(int) * (size_t)(size * each));
  memset(host, 0, sizeof(int) * (size_t)(size * each));
  memory_write(out, host, sizeof(int) * (size_t)(size * each));
  if (comes_later) MPI_Recv(NULL, 0, MPI_INT, bad, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (kind == bcast) return MPI_Bcast(rank == 0 ? in : out, size * each, MPI_INT, 0, comm);
  if (kind == allreduce)
    MPI_Iallreduce(in, out, size * each, MPI_INT, MPI_SUM, comm, &request);
  else if (kind == allgather)
    MPI_Iallgather(in, each, MPI_INT, out, each, MPI_INT, comm, &request);
  else
    MPI_Ialltoall(in, each, MPI_INT, out, each, MPI_INT, comm, &request);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void check(int kind) {
  if (kind == bcast && rank == 0) return;
  memory_read(host, out, sizeof(int) * (size_t)(size * each));
  for (int from = 0; from < size; ++from) {
    for (int i = 0; i < each; ++i) {
      int expected = value(kind == bcast ? 0 : from, kind == alltoall ? rank : 0, i);
      for (int of = 0; kind == allreduce && of < size; ++of) expected = (of == 0 ? 0 : expected) + value(of, 0, i);
      expect(host[from * each + i] == expected, "a number");
    }
  }
}

/// Whether an error's text has some words.
static int tells(int code, const char* words) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  if (strstr(text, words) == NULL) fprintf(stderr, "rank %d: '%s' does not say '%s'\n", rank, text, words);
  return strstr(text, words) != NULL;
}

/// `may_skip`: a host so busy that a call without a fault exceeds the time limit shows nothing. Only rank 1 has one; what the
/// others get then, it is to explain first.
static void make_some(int kind, MPI_Comm comm, int calls, int may_skip) {
  for (int i = 0; i < calls; ++i, ++round_now) {
    const int code = call(kind, comm, 0);
    if (code != MPI_SUCCESS && may_skip && wanted >= is_late) {
      if (rank == bad && tells(code, "TYPEWARP_TIME_LIMIT_MS")) {
        fprintf(stderr, "skipped: needs a host that makes a call within the time limit\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
      sleep(10);
    }
    expect(code == MPI_SUCCESS, "a call");
    check(kind);
  }
}

static void end_fault(void) { expect(wanted >= is_alone || atomic_exchange(&fault_now, none) == wanted, "the fault"); }

/// Faults that wait for the time limit are tried in few kinds of call.
static int is_tried(int kind) {
  if (wanted < is_late) return 1;
  return kind == bcast ? wanted != is_alone : kind == allreduce && wanted != is_held;
}

static void fail_once(int kind, MPI_Comm comm) {
  const size_t bytes = sizeof(int) * (size_t)(size * each);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == (wanted == is_held ? slow : bad) && wanted != is_alone) atomic_store(&next_fault, wanted);
  const int code = call(kind, comm, rank != bad && wanted == is_alone);
  expect(code != MPI_SUCCESS, "an error");
  if (rank == bad) {
    expect(tells(code, wanted >= is_late ? "TYPEWARP_TIME_LIMIT_MS" : "the GPU failed"), "the cause");
    // A kernel that came too late runs now; copies of the program are behind one of a call that blocks.
    if (kind == bcast) end_fault();
    memset(host, 1, bytes);
    memory_write(out, host, bytes);
    if (kind != bcast) end_fault();
    cudaDeviceSynchronize();
    atomic_store(has_given_up, 1);
    for (int to = 0; to < size && wanted == is_alone; ++to)
      if (to != bad) MPI_Send(NULL, 0, MPI_INT, to, 1, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == bad) {
    memory_read(host, out, bytes);
    for (int i = 0; i < size * each; ++i) expect(host[i] == 0x01010101, "memory that is left alone");
  }
  ++round_now;
}

int main(int argc, char** argv) {
  begin_program(&argc, &argv, "device");
  const char* const fault = argc > 2 ? argv[2] : "launch";
  static const char* const faults[] = {"none", "launch", "device", "late", "alone", "held"};
  while (wanted < is_held && strcmp(fault, faults[wanted]) != 0) ++wanted;
  host = malloc(sizeof(int) * most_ranks * each);
  in = memory_get(sizeof(int) * most_ranks * each);
  out = memory_get(sizeof(int) * most_ranks * each);
  MPI_Win shared;
  MPI_Win_allocate_shared(rank == 0 ? sizeof *has_given_up : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, (void*)&has_given_up, &shared);
  MPI_Aint bytes;
  int unit;
  MPI_Win_shared_query(shared, 0, &bytes, &unit, (void*)&has_given_up);
  if (rank == 0) atomic_store(has_given_up, 0);
  // A time limit must be long, as devices may be emulated by a busy host.
  for (int kind = 0; kind < kinds; ++kind) {
    if (!is_tried(kind)) continue;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    make_some(kind, comm, before, 1);
    fail_once(kind, comm);
    make_some((kind + 1) % kinds, comm, after, 0);
    make_some(kind, comm, after, 0);
    MPI_Comm_free(&comm);
  }
  report("all is right");
  MPI_Win_free(&shared);
  memory_free(in);
  memory_free(out);
  free(host);
  report_all();
  MPI_Finalize();
  return 0;
}
