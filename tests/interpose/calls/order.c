// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages of one tag that go in different ways, started in a row: they arrive in the order in which they
// were sent.
#include "../common/report.h"
#include "groups.h"
#include "message.h"

#include <stdlib.h>

enum { tag = 3, rows = 8, in_a_row = 16, ints = 10, buffered_bytes = 1 << 16 };

enum way { standard, empty = 4, of_host, persistent_of_host, buffered, ways };

static int is_of_host(int way) { return way == of_host || way == persistent_of_host; }

static void start_send(enum way way, const struct side* side, const int* numbers, MPI_Request* request) {
  if (way == persistent_of_host) {
    TWIN(MPI_Send_init, numbers, ints, MPI_INT, world.right, tag, world.comm, request);
    MPI_Start(request);
  } else if (way == of_host) {
    TWIN(MPI_Isend, numbers, ints, MPI_INT, world.right, tag, world.comm, request);
  } else if (way == buffered) {
    TWIN(MPI_Ibsend, side->buf, side->count, side->shape.type, world.right, tag, world.comm, request);
  } else {
    TWIN(MPI_Isend, side->buf, way == empty ? 0 : side->count, side->shape.type, world.right, tag, world.comm,
         request);
  }
}

static void try_row(int row) {
  struct side sent[in_a_row], received[in_a_row];
  int sent_numbers[in_a_row][ints], numbers[in_a_row][ints];
  MPI_Request requests[2 * in_a_row];
  for (int i = 0; i < in_a_row; ++i) {
    const int kind = (row + i) % types, bytes = 8 + (row * 37 + i * 61) % 480;
    sent[i] = side_of(kind, bytes, 0, world.rank * in_a_row + i);
    received[i] = side_of(kind, bytes, 0, 200 + i);
    for (int k = 0; k < ints; ++k) sent_numbers[i][k] = world.rank * 1000 + i * 100 + k, numbers[i][k] = -1;
    if (is_of_host(i % ways)) {
      TWIN(MPI_Irecv, numbers[i], ints, MPI_INT, world.left, tag, world.comm, &requests[i]);
    } else {
      TWIN(MPI_Irecv, received[i].buf, received[i].count, received[i].shape.type, world.left, tag, world.comm,
           &requests[i]);
    }
  }
  MPI_Barrier(world.comm);
  for (int i = 0; i < in_a_row; ++i) {
    start_send((enum way)(i % ways), &sent[i], sent_numbers[i], &requests[in_a_row + i]);
  }
  MPI_Waitall(2 * in_a_row, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < in_a_row; ++i) {
    report("row %d%s, message %d: %016lx, %d", row, world.large ? " large" : "", i, side_hash(&received[i]),
           numbers[i][ints - 1]);
    if (i % ways == persistent_of_host) MPI_Request_free(&requests[in_a_row + i]);
    side_free(&sent[i]);
    side_free(&received[i]);
  }
}

void group_order(void) {
  void* memory = malloc(buffered_bytes);
  int bytes = 0;
  MPI_Buffer_attach(memory, buffered_bytes);
  for (int row = 0; row < rows; ++row) try_row(row);
  MPI_Buffer_detach(&memory, &bytes);
  free(memory);
}
