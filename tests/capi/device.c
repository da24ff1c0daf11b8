// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Device memory through the shared library, whose GPU runtime is inside, by a program that has one of its
// own.
#include "check.h"

#include <typewarp.h>

#include <cuda_runtime_api.h>
#include <stdlib.h>

enum { rows = 300, columns = 70, cells = rows * columns, column = 7 };

static double matrix[cells], other[cells], packed[rows];
static double *on_device, *packed_on_device;
static cudaStream_t stream;
static tw_plan* plan;

static void to_device(const double* from) {
  CHECK(cudaMemcpyAsync(on_device, from, sizeof matrix, cudaMemcpyHostToDevice, stream) == cudaSuccess);
}

static void to_host(double* to, const double* from, size_t bytes) {
  CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
}

static int is_packed(void) {
  for (int i = 0; i < rows; ++i) {
    if (packed[i] != matrix[i * columns + column]) return 0;
  }
  return 1;
}

static void forget(void) {
  memset(packed, 0, sizeof packed);
  CHECK(cudaMemsetAsync(packed_on_device, 0, sizeof packed, stream) == cudaSuccess);
}

// Ordered by the stream alone.
static void pack_and_unpack(void) {
  to_device(matrix);
  SUCCEEDS(tw_pack(on_device + column, 1, plan, packed_on_device, NULL, stream));
  to_host(packed, packed_on_device, sizeof packed);
  CHECK(is_packed());
  CHECK(tw_kernel_launches() > 0);

  for (int i = 0; i < cells; ++i) other[i] = -i;
  to_device(other);
  SUCCEEDS(tw_unpack(packed_on_device, on_device, 1, plan, NULL, stream));
  to_host(other, on_device, sizeof other);
  for (int i = 0; i < cells; ++i) CHECK(other[i] == (i % columns == 0 ? packed[i / columns] : -i));
}

static void prepared(void) {
  tw_persistent* operation = NULL;
  tw_batch* batch = NULL;
  const tw_piece piece = {on_device + column, 1, plan, 0};
  SUCCEEDS(tw_persistent_pack_init(on_device + column, 1, plan, packed_on_device, NULL, TW_DEVICE_OF_DATA,
                                   &operation));
  SUCCEEDS(tw_batch_create(1, &piece, packed_on_device, &batch));
  to_device(matrix);
  for (int i = 0; i < 3; ++i) {
    forget();
    SUCCEEDS(tw_persistent_start(operation, stream));
    SUCCEEDS(tw_persistent_wait(operation));
    to_host(packed, packed_on_device, sizeof packed);
    CHECK(is_packed());
    forget();
    SUCCEEDS(tw_batch_pack(batch, stream));
    to_host(packed, packed_on_device, sizeof packed);
    CHECK(is_packed());
  }
  tw_persistent_free(operation);
  tw_batch_free(batch);
}

// Column 7 to where the packed column lies, as items of one double, by lists on the host.
static void indexed(void) {
  tw_datatype* item = NULL;
  tw_plan* number = NULL;
  tw_indexed_copy* copy = NULL;
  SUCCEEDS(tw_datatype_contiguous(1, tw_datatype_named(TW_DOUBLE), &item));
  SUCCEEDS(tw_plan_commit(item, &number));
  const tw_item_array source = {on_device, cells, sizeof(double), number};
  const tw_item_array destination = {packed_on_device, rows, sizeof(double), number};
  SUCCEEDS(tw_indexed_copy_create(1, &source, &destination, &copy));
  int32_t places[rows];
  for (int i = 0; i < rows; ++i) places[i] = i * columns + column;
  const tw_index_list from = {places, 4}, to = {NULL, 0};
  to_device(matrix);
  forget();
  SUCCEEDS(tw_indexed_copy_start(copy, from, to, rows, stream));
  memset(places, 0, sizeof places);
  to_host(packed, packed_on_device, sizeof packed);
  CHECK(is_packed());
  SUCCEEDS(tw_indexed_copy_check(copy));
  tw_indexed_copy_free(copy);
  tw_plan_free(number);
  tw_datatype_free(item);
}

// Both sides in one process: the matrix goes to the registered memory of the packed column, and raises a signal.
static void registered(void) {
  tw_registered_memory* mine = NULL;
  tw_remote_memory* remote = NULL;
  const tw_memory_range range = {packed_on_device, sizeof packed};
  SUCCEEDS(tw_registered_memory_create(1, &range, 1, 10000, &mine));
  const void* handle = NULL;
  int64_t bytes = 0, count = 0, value = -1;
  SUCCEEDS(tw_registered_memory_handle(mine, &handle, &bytes));
  SUCCEEDS(tw_remote_memory_create(handle, bytes, -1, &remote));
  tw_memory_range theirs;
  SUCCEEDS(tw_remote_memory_count(remote, &count));
  SUCCEEDS(tw_remote_memory_range(remote, 0, &theirs));
  CHECK(count == 1 && theirs.address == range.address && theirs.bytes == range.bytes);
  to_device(matrix);
  forget();
  SUCCEEDS(tw_remote_memory_begin(remote, stream));
  SUCCEEDS(tw_pack(on_device + column, 1, plan, theirs.address, NULL, stream));
  SUCCEEDS(tw_remote_memory_finish(remote, stream, 0, 5));
  SUCCEEDS(tw_registered_memory_wait(mine, 0, 5, stream));
  SUCCEEDS(tw_registered_memory_wait_on_host(mine, 0, 5));
  SUCCEEDS(tw_registered_memory_signal(mine, 0, &value));
  CHECK(value == 5);
  to_host(packed, packed_on_device, sizeof packed);
  CHECK(is_packed());
  SUCCEEDS(tw_remote_memory_check(remote));
  SUCCEEDS(tw_registered_memory_end(mine));
  CHECK(tw_remote_memory_check(remote) != TW_SUCCESS);
  tw_remote_memory_free(remote);
  tw_registered_memory_free(mine);
}

static void reduction(void) {
  to_device(matrix);
  SUCCEEDS(tw_reduce_local(on_device + columns, on_device, columns, TW_DOUBLE, TW_SUM, stream));
  to_host(other, on_device, columns * sizeof *other);
  for (int i = 0; i < columns; ++i) CHECK(other[i] == matrix[i] + matrix[columns + i]);
}

static int alone(const void* own, int64_t bytes, void* all, void* argument) {
  (void)argument;
  memcpy(all, own, (size_t)bytes);
  return 0;
}

/// A column of the matrix becomes another one, by this process alone.
static void exchanged(void) {
  tw_ranks* ranks = NULL;
  tw_exchange* exchange = NULL;
  tw_part_way way = {0};
  const tw_outgoing_part send = {on_device + column, 1, plan, 0};
  const tw_incoming_part receive = {on_device, 1, plan, 0};
  SUCCEEDS(tw_ranks_create(0, 1, alone, NULL, &ranks));
  SUCCEEDS(tw_exchange_create(ranks, 1, &send, 1, &receive, NULL, &exchange));
  tw_ranks_free(ranks);
  for (int i = 0; i < 3; ++i) {
    to_device(matrix);
    SUCCEEDS(tw_exchange_start(exchange, stream));
    SUCCEEDS(tw_exchange_wait(exchange));
    to_host(other, on_device, sizeof other);
    for (int r = 0; r < rows; ++r) {
      CHECK(other[r * columns] == matrix[r * columns + column]);
      CHECK(other[r * columns + column] == matrix[r * columns + column]);
    }
  }
  SUCCEEDS(tw_exchange_way_of_send(exchange, 0, &way));
  CHECK(way.direct == 1 && way.bytes == rows * (int64_t)sizeof *other && strcmp(way.reason, "") == 0);
  tw_exchange_free(exchange);
}

static void refusals(void) {
  tw_persistent* operation = NULL;
  double pageable;
  REFUSED("packed",
          tw_persistent_pack_init(on_device, 1, plan, &pageable, NULL, TW_DEVICE_OF_DATA, &operation));
  REFUSED("device", tw_persistent_pack_init(on_device, 1, plan, packed_on_device, NULL, -2, &operation));
  CHECK(operation == NULL);
  REFUSED("in", tw_reduce_local(&pageable, on_device, 1, TW_DOUBLE, TW_SUM, stream));
  // What would return only when all bytes are in place cannot be captured.
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  REFUSED("stream", tw_pack(on_device, 1, plan, packed, NULL, stream));
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}

// Of one rank, which gets what it gives.
static void device_group(void) {
  static const int64_t all_rows[] = {rows};
  tw_ranks* ranks = NULL;
  tw_device_group* group = NULL;
  int done = -5;
  SUCCEEDS(tw_ranks_create(0, 1, alone, NULL, &ranks));
  SUCCEEDS(tw_device_group_create(ranks, NULL, &group));
  to_device(matrix);
  for (int call = 0; call < 4; ++call) {
    forget();
    double* const to = packed_on_device;
    if (call == 0) SUCCEEDS(tw_allreduce(group, on_device, to, rows, TW_DOUBLE, TW_SUM, stream));
    if (call == 1) SUCCEEDS(tw_reduce(group, on_device, to, rows, TW_DOUBLE, TW_MAX, 0, stream));
    if (call == 2) SUCCEEDS(tw_reduce_scatter(group, on_device, to, all_rows, TW_DOUBLE, TW_SUM, stream));
    if (call == 3) SUCCEEDS(tw_scan(group, on_device, to, rows, TW_DOUBLE, TW_PROD, stream));
    to_host(packed, packed_on_device, sizeof packed);
    CHECK(memcmp(packed, matrix, sizeof packed) == 0);
  }
  SUCCEEDS(tw_exscan(group, on_device, packed_on_device, rows, TW_DOUBLE, TW_SUM, stream));
  const int64_t all_bytes[] = {sizeof packed};
  for (int call = 0; call < 3; ++call) {
    forget();
    if (call == 0) SUCCEEDS(tw_allgather(group, on_device, packed_on_device, sizeof packed, stream));
    if (call == 1) SUCCEEDS(tw_allgatherv(group, on_device, packed_on_device, all_bytes, stream));
    if (call == 2) SUCCEEDS(tw_alltoall(group, on_device, packed_on_device, sizeof packed, stream));
    to_host(packed, packed_on_device, sizeof packed);
    CHECK(memcmp(packed, matrix, sizeof packed) == 0);
  }
  REFUSED("bytes", tw_allgather(group, on_device, packed_on_device, -1, stream));
  REFUSED("bytes", tw_allgatherv(group, on_device, packed_on_device, NULL, stream));
  REFUSED("bytes", tw_alltoall(group, on_device, packed_on_device, -1, stream));
  SUCCEEDS(tw_broadcast(group, on_device, sizeof packed, 0, stream));
  REFUSED("bytes", tw_device_group_register_memory(group, packed_on_device, 0));
  REFUSED("begin", tw_device_group_deregister_memory(group, packed_on_device));
  SUCCEEDS(tw_device_group_register_memory(group, packed_on_device, sizeof packed));
  forget();
  SUCCEEDS(tw_allgather(group, on_device, packed_on_device, sizeof packed, stream));
  to_host(packed, packed_on_device, sizeof packed);
  CHECK(memcmp(packed, matrix, sizeof packed) == 0);
  SUCCEEDS(tw_device_group_deregister_memory(group, packed_on_device));
  REFUSED("type", tw_allreduce(group, on_device, packed_on_device, rows, -1, TW_SUM, stream));
  REFUSED("operation", tw_allreduce(group, on_device, packed_on_device, rows, TW_DOUBLE, -1, stream));
  REFUSED("count", tw_scan(group, on_device, packed_on_device, -1, TW_DOUBLE, TW_SUM, stream));
  REFUSED("root", tw_reduce(group, on_device, packed_on_device, rows, TW_DOUBLE, TW_SUM, 1, stream));
  REFUSED("counts", tw_reduce_scatter(group, on_device, packed_on_device, NULL, TW_DOUBLE, TW_SUM, stream));
  REFUSED("done", tw_device_group_done(group, NULL));
  SUCCEEDS(tw_device_group_wait(group));
  SUCCEEDS(tw_device_group_done(group, &done));
  CHECK(done == 1);
  tw_device_group_free(group);
  tw_ranks_free(ranks);
}

int main(void) {
  int devices = 0, kind = -1, device = -1;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    printf("skipped: needs a GPU\n");
    return 77;
  }
  CHECK(tw_built_with_gpu() == 1 && tw_gpu_present() == 1);
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  CHECK(cudaMalloc((void**)&on_device, sizeof matrix) == cudaSuccess);
  CHECK(cudaMalloc((void**)&packed_on_device, sizeof packed) == cudaSuccess);
  SUCCEEDS(tw_pointer_info(on_device, &kind, &device));
  CHECK(kind == TW_MEMORY_DEVICE && device == 0);
  tw_datatype* datatype = NULL;
  SUCCEEDS(tw_datatype_vector(rows, 1, columns, tw_datatype_named(TW_DOUBLE), &datatype));
  SUCCEEDS(tw_plan_commit(datatype, &plan));
  tw_datatype_free(datatype);
  for (int i = 0; i < cells; ++i) matrix[i] = i + 1;
  pack_and_unpack();
  prepared();
  indexed();
  registered();
  reduction();
  exchanged();
  device_group();
  refusals();
  tw_plan_free(plan);
  CHECK(cudaFree(on_device) == cudaSuccess && cudaFree(packed_on_device) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  return finish();
}
