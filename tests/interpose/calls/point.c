// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Each way to send with each way to receive that it goes with, for all types and sizes, around the ring.
#include "../common/report.h"
#include "groups.h"
#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { tag = 42, buffered_bytes = 16 << 20 };

#define SEND s->buf, s->count, s->shape.type, world.right, tag, world.comm
#define RECEIVE r->buf, r->count, r->shape.type, world.left, tag, world.comm

typedef int (*start_call)(const struct side*, MPI_Request*);

static int send(const struct side* s) { return TWIN(MPI_Send, SEND); }
static int ssend(const struct side* s) { return TWIN(MPI_Ssend, SEND); }
static int bsend(const struct side* s) { return TWIN(MPI_Bsend, SEND); }
static int rsend(const struct side* s) { return TWIN(MPI_Rsend, SEND); }

static int isend(const struct side* s, MPI_Request* q) { return TWIN(MPI_Isend, SEND, q); }
static int issend(const struct side* s, MPI_Request* q) { return TWIN(MPI_Issend, SEND, q); }
static int ibsend(const struct side* s, MPI_Request* q) { return TWIN(MPI_Ibsend, SEND, q); }
static int irsend(const struct side* s, MPI_Request* q) { return TWIN(MPI_Irsend, SEND, q); }
static int irecv(const struct side* r, MPI_Request* q) { return TWIN(MPI_Irecv, RECEIVE, q); }

static int send_init(const struct side* s, MPI_Request* q) { return TWIN(MPI_Send_init, SEND, q); }
static int ssend_init(const struct side* s, MPI_Request* q) { return TWIN(MPI_Ssend_init, SEND, q); }
static int bsend_init(const struct side* s, MPI_Request* q) { return TWIN(MPI_Bsend_init, SEND, q); }
static int rsend_init(const struct side* s, MPI_Request* q) { return TWIN(MPI_Rsend_init, SEND, q); }
static int recv_init(const struct side* r, MPI_Request* q) { return TWIN(MPI_Recv_init, RECEIVE, q); }

static int recv(const struct side* r, MPI_Status* status) { return TWIN(MPI_Recv, RECEIVE, status); }

static int recv_any(const struct side* r, MPI_Status* status) {
  return TWIN(MPI_Recv, r->buf, r->count, r->shape.type, MPI_ANY_SOURCE, MPI_ANY_TAG, world.comm, status);
}

static int probe(const struct side* r, MPI_Status* status) {
  MPI_Probe(world.left, MPI_ANY_TAG, world.comm, status);
  report("  probed %s", status_text(status, r->shape.type));
  return recv(r, status);
}

static int iprobe(const struct side* r, MPI_Status* status) {
  for (int found = 0; !found;) MPI_Iprobe(MPI_ANY_SOURCE, tag, world.comm, &found, status);
  report("  probed %s", status_text(status, r->shape.type));
  return recv(r, status);
}

static int mprobe(const struct side* r, MPI_Status* status) {
  MPI_Message message;
  MPI_Mprobe(world.left, tag, world.comm, &message, status);
  report("  probed %s", status_text(status, r->shape.type));
  return TWIN(MPI_Mrecv, r->buf, r->count, r->shape.type, &message, status);
}

static int improbe(const struct side* r, MPI_Status* status) {
  MPI_Message message;
  MPI_Request request;
  for (int found = 0; !found;) MPI_Improbe(MPI_ANY_SOURCE, tag, world.comm, &found, &message, status);
  TWIN(MPI_Imrecv, r->buf, r->count, r->shape.type, &message, &request);
  return MPI_Wait(&request, status);
}

/// Of the calls that send or receive, one of each pair is there.
struct way {
  const char* name;
  int (*send)(const struct side*);
  start_call start_send;
  int (*receive)(const struct side*, MPI_Status*);
  start_call start_receive;
  int persistent;
};

static const struct way ways[] = {
    {"Send Recv", send, NULL, recv, NULL, 0},
    {"Ssend Recv", ssend, NULL, recv, NULL, 0},
    {"Bsend Recv", bsend, NULL, recv, NULL, 0},
    {"Rsend Irecv", rsend, NULL, NULL, irecv, 0},
    {"Send Irecv", send, NULL, NULL, irecv, 0},
    {"Isend Irecv", NULL, isend, NULL, irecv, 0},
    {"Issend Irecv", NULL, issend, NULL, irecv, 0},
    {"Ibsend Irecv", NULL, ibsend, NULL, irecv, 0},
    {"Irsend Irecv", NULL, irsend, NULL, irecv, 0},
    {"Isend Recv", NULL, isend, recv, NULL, 0},
    {"Isend Recv any", NULL, isend, recv_any, NULL, 0},
    {"Isend Probe", NULL, isend, probe, NULL, 0},
    {"Isend Iprobe", NULL, isend, iprobe, NULL, 0},
    {"Isend Mprobe Mrecv", NULL, isend, mprobe, NULL, 0},
    {"Isend Improbe Imrecv", NULL, isend, improbe, NULL, 0},
    {"Send Mprobe Mrecv", send, NULL, mprobe, NULL, 0},
    {"Send_init Recv_init", NULL, send_init, NULL, recv_init, 1},
    {"Ssend_init Recv_init", NULL, ssend_init, NULL, recv_init, 1},
    {"Bsend_init Recv_init", NULL, bsend_init, NULL, recv_init, 1},
    {"Rsend_init Recv_init", NULL, rsend_init, NULL, recv_init, 1},
    {"Send_init Recv", NULL, send_init, recv, NULL, 1},
    {"Isend Recv_init", NULL, isend, NULL, recv_init, 1},
};

static int starts(const struct way* way, const struct side* s, start_call begin, MPI_Request* request,
                  int round) {
  const int made_once = begin != isend && way->persistent;
  if (round == 0 || !made_once) begin(s, request);
  return made_once ? MPI_Start(request) : MPI_SUCCESS;
}

static int once(const struct way* way, const struct side* s, const struct side* r, MPI_Request requests[2],
                int round, MPI_Status* status) {
  MPI_Status statuses[2];
  int code = MPI_SUCCESS;
  if (way->start_receive != NULL) starts(way, r, way->start_receive, &requests[0], round);
  if (strstr(way->name, "rsend") != NULL || strstr(way->name, "Rsend") != NULL) MPI_Barrier(world.comm);
  if (way->send != NULL && way->receive != NULL && world.rank != 0) {
    code = way->receive(r, status);
    way->send(s);
    return code;
  }
  if (way->start_send != NULL) starts(way, s, way->start_send, &requests[1], round);
  if (way->send != NULL) way->send(s);
  if (way->receive != NULL) code = way->receive(r, status);
  MPI_Waitall(2, requests, statuses);
  if (way->receive == NULL) *status = statuses[0];
  return code;
}

static void try_way(const struct way* way, const char* what, const struct side* s, struct side* r) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status;
  for (int round = 0; round < 1 + way->persistent; ++round) {
    side_fill(r, 100 + round);
    const int code = once(way, s, r, requests, round, &status);
    report("%s, %s: %s, %s, %016lx", way->name, what, error_text(code), status_text(&status, r->shape.type),
           side_hash(r));
  }
  for (int i = 0; i < 2; ++i) {
    if (requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests[i]);
  }
}

/// The whole message; into a place for more; or all but the last of its elements.
enum variant { whole, roomy, partial, variants };

static void try_variant(const struct way* way, int kind, int bytes, enum variant variant) {
  static const char* const names[variants] = {"whole", "roomy", "partial"};
  const int seed = world.rank + 1;
  struct side r =
      side_of(kind, bytes, variant == roomy && strcmp(type_names[kind], "absolute") != 0 ? 2 : 0, 99);
  const int elements = r.shape.count * r.shape.elements;
  struct side s = variant != partial || r.shape.element == MPI_DATATYPE_NULL || elements == 0
                      ? side_of(kind, bytes, 0, seed)
                      : side_of_elements(&r.shape, elements - 1, seed);
  char what[80];
  snprintf(what, sizeof what, "%s %d %s%s", type_names[kind], bytes, names[variant],
           world.large ? " large" : "");
  try_way(way, what, &s, &r);
  side_free(&s);
  side_free(&r);
}

/// Long messages of each type by the commonest calls, and by others of every eighth type. Twins are as their
/// calls but for the counts, so few sizes do.
static int is_tried(const struct way* way, int kind, int size, int variant) {
  const int number = (int)(way - ways);
  const int common =
      !world.large && (strcmp(way->name, "Send Recv") == 0 || strcmp(way->name, "Isend Irecv") == 0);
  if (world.large && message_sizes[size] != 510 && message_sizes[size] != 20 << 10) return 0;
  if (message_sizes[size] > 1 << 18 && !common && (number + kind) % 8 != 0) return 0;
  return common || (number + kind + size) % variants == variant;
}

void group_point(void) {
  char* buffer = malloc(buffered_bytes);
  int detached = 0;
  MPI_Buffer_attach(buffer, buffered_bytes);
  for (const struct way* way = ways; way != ways + sizeof ways / sizeof ways[0]; ++way) {
    for (int kind = 0; kind < types; ++kind) {
      for (int size = 0; size < sizes; ++size) {
        for (int variant = 0; variant < variants; ++variant) {
          if (is_tried(way, kind, size, variant))
            try_variant(way, kind, message_sizes[size], (enum variant)variant);
        }
      }
    }
  }
  MPI_Buffer_detach(&buffer, &detached);
  free(buffer);
}
