// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rank 1 does nothing while rank 0 waits for it in every way that there is: each ends with the error of the time limit,
// after the limit and not much later. Then rank 1 comes after all. What was given up reaches nobody, or whole; and what
// is sent then arrives as if nothing had been.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 40000, LENGTH = 2 * BLOCKS, MOST = 64 };

static MPI_Datatype column;
static unsigned char memory[MOST][LENGTH];
static int used = 0, wrong = 0, sent_tags[MOST], sent = 0, received_tags[MOST], received = 0;
static double limit, begun;

static unsigned char* fresh(void) { return memory[used++]; }

static void expect(int right, const char* what) {
  if (right) return;
  printf("wrong: %s\n", what);
  wrong = 1;
}

static unsigned char letter(int tag, int i) { return (unsigned char)(7 * tag + i % 251); }

static unsigned char* outgoing(int tag) {
  unsigned char* const buffer = fresh();
  for (int i = 0; i < BLOCKS; ++i) buffer[2 * i] = letter(tag, i);
  sent_tags[sent++] = tag;
  return buffer;
}

static unsigned char* incoming(int tag) {
  received_tags[received++] = tag;
  return fresh();
}

static int is_whole(const unsigned char* buffer, int tag) {
  for (int i = 0; i < BLOCKS; ++i)
    if (buffer[2 * i] != letter(tag, i)) return 0;
  return 1;
}

static int is_the_limits(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code == MPI_SUCCESS) return 0;
  MPI_Error_string(code, text, &length);
  return strstr(text, "TYPEWARP_TIME_LIMIT_MS") != NULL;
}

static void ended(int code, const char* what) {
  const double took = MPI_Wtime() - begun;
  if (!is_the_limits(code) || took < 0.9 * limit || took > 20 * limit + 2)
    printf("wrong: %s: code %d after %.3f s\n", what, code, took), wrong = 1;
  begun = MPI_Wtime();
}

static void sends(MPI_Request* request, int tag) {
  MPI_Isend(outgoing(tag), 1, column, 1, tag, MPI_COMM_WORLD, request);
}
static void receives(MPI_Request* request, int tag) {
  MPI_Irecv(incoming(tag), 1, column, 1, tag, MPI_COMM_WORLD, request);
}

typedef void Starts(MPI_Request*, int);

/// The waits for requests of one kind.
static void wait_for(Starts* start, int tag, const char* kind) {
  MPI_Request one, two[2];
  MPI_Status statuses[2];
  int index = -1, count = 0, indices[2], flag = 0, code = MPI_SUCCESS;
  printf("%s\n", kind);

  begun = MPI_Wtime();
  start(&one, tag);
  ended(MPI_Wait(&one, MPI_STATUS_IGNORE), "MPI_Wait");
  expect(one == MPI_REQUEST_NULL, "the request of MPI_Wait is gone");

  start(&two[0], tag + 1), start(&two[1], tag + 2);
  code = MPI_Waitall(2, two, statuses);
  expect(code == MPI_ERR_IN_STATUS, "MPI_Waitall tells of the statuses");
  expect(is_the_limits(statuses[1].MPI_ERROR), "MPI_Waitall: the second");
  ended(statuses[0].MPI_ERROR, "MPI_Waitall");

  start(&two[0], tag + 3), start(&two[1], tag + 4);
  ended(MPI_Waitany(2, two, &index, MPI_STATUS_IGNORE), "MPI_Waitany");
  ended(MPI_Waitany(2, two, &index, MPI_STATUS_IGNORE), "MPI_Waitany again");
  expect(two[0] == MPI_REQUEST_NULL && two[1] == MPI_REQUEST_NULL, "the requests of MPI_Waitany are gone");

  start(&two[0], tag + 5), two[1] = MPI_REQUEST_NULL;
  code = MPI_Waitsome(2, two, &count, indices, statuses);
  expect(code == MPI_ERR_IN_STATUS && count == 1 && indices[0] == 0, "MPI_Waitsome tells of the status");
  ended(statuses[0].MPI_ERROR, "MPI_Waitsome");

  start(&one, tag + 6);
  for (flag = 0, code = MPI_SUCCESS; !flag && code == MPI_SUCCESS;) code = MPI_Test(&one, &flag, MPI_STATUS_IGNORE);
  ended(code, "MPI_Test");

  start(&two[0], tag + 7), start(&two[1], tag + 8);
  for (flag = 0, code = MPI_SUCCESS; !flag && code == MPI_SUCCESS;) code = MPI_Testall(2, two, &flag, statuses);
  ended(statuses[0].MPI_ERROR, "MPI_Testall");

  start(&one, tag + 9);
  for (flag = 0; !flag;) MPI_Request_get_status(one, &flag, MPI_STATUS_IGNORE);
  ended(MPI_Wait(&one, MPI_STATUS_IGNORE), "MPI_Request_get_status");
}

static void wait_for_persistent(int tag) {
  MPI_Request request;
  MPI_Recv_init(incoming(tag), 1, column, 1, tag, MPI_COMM_WORLD, &request);
  for (int round = 0; round < 2; ++round) {
    expect(MPI_Start(&request) == MPI_SUCCESS, "a receive that was given up can be started again");
    ended(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Recv_init");
  }
  MPI_Request_free(&request);
  MPI_Send_init(outgoing(tag + 1), 1, column, 1, tag + 1, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  ended(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Send_init");
  MPI_Request_free(&request);
}

static void wait_in_calls(int tag) {
  MPI_Message message;
  unsigned char* buffer;
  begun = MPI_Wtime();
  ended(MPI_Send(outgoing(tag), 1, column, 1, tag, MPI_COMM_WORLD), "MPI_Send");
  ended(MPI_Ssend(outgoing(tag + 1), 1, column, 1, tag + 1, MPI_COMM_WORLD), "MPI_Ssend");
  ended(MPI_Recv(incoming(tag + 2), 1, column, 1, tag + 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
  buffer = outgoing(tag + 3);
  ended(MPI_Sendrecv(buffer, 1, column, 1, tag + 3, incoming(tag + 4), 1, column, 1, tag + 4, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE), "MPI_Sendrecv");
  buffer = outgoing(tag + 5);
  received_tags[received++] = tag + 6;
  ended(MPI_Sendrecv_replace(buffer, 1, column, 1, tag + 5, 1, tag + 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        "MPI_Sendrecv_replace");
  ended(MPI_Probe(1, tag + 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Probe");
  ended(MPI_Mprobe(1, tag + 7, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE), "MPI_Mprobe");
}

/// A collective call that messages of ours make. The rank that comes late gets an error as well, or is done.
static void wait_for_collective(int rank) {
  static unsigned char all[LENGTH];
  MPI_Comm apart;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &apart);
  if (rank == 1) MPI_Barrier(apart);
  begun = MPI_Wtime();
  MPI_Ibcast(all, LENGTH, MPI_BYTE, 1, MPI_COMM_WORLD, &request);
  const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) ended(code, "MPI_Ibcast");
  if (rank == 0) MPI_Barrier(apart);
  MPI_Comm_free(&apart);
}

/// What rank 0 has sent in vain is an error here, or whole; then both ways are as they were.
static void come_late(void) {
  for (int i = 0; i < sent; ++i) {
    unsigned char* const buffer = memory[0];
    memset(buffer, 0, LENGTH);
    const int code = MPI_Recv(buffer, 1, column, 0, sent_tags[i], MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(code != MPI_SUCCESS || is_whole(buffer, sent_tags[i]), "what was given up arrives whole or not");
  }
  for (int i = 0; i < received; ++i) {
    used = 0;
    expect(MPI_Send(outgoing(received_tags[i]), 1, column, 0, received_tags[i], MPI_COMM_WORLD) == MPI_SUCCESS,
           "a late message is received by the next receive");
  }
}

static void receive_what_is_late(void) {
  unsigned char* const buffer = malloc(LENGTH);
  for (int i = 0; i < received; ++i) {
    memset(buffer, 0, LENGTH);
    const int code = MPI_Recv(buffer, 1, column, 1, received_tags[i], MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(code == MPI_SUCCESS && is_whole(buffer, received_tags[i]), "a late message");
  }
  free(buffer);
}

int main(int argc, char** argv) {
  int rank, counts[2];
  MPI_Init(&argc, &argv);
  limit = atof(getenv("TYPEWARP_TIME_LIMIT_MS")) / 1000;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Type_vector(BLOCKS, 1, 2, MPI_BYTE, &column);
  MPI_Type_commit(&column);
  if (rank == 0) {
    wait_for(receives, 100, "receives");
    wait_for(sends, 200, "sends");
    wait_for_persistent(300);
    wait_in_calls(400);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // which no limit holds for
  counts[0] = sent, counts[1] = received;
  MPI_Bcast(counts, 2, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(sent_tags, MOST, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(received_tags, MOST, MPI_INT, 0, MPI_COMM_WORLD);
  sent = counts[0], received = counts[1];
  if (rank == 1) come_late();
  if (rank == 0) receive_what_is_late();
  wait_for_collective(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Type_free(&column);
  MPI_Finalize();
  if (rank == 0 && !wrong) printf("all waits have a limit\n");
  return wrong;
}
