// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What goes wrong is told to the error handler of the communicator, and by the error class; after it,
// messages go on. What a message that is too long leaves in its buffer is not said: it is not printed.
#include "../common/memory.h"
#include "../common/report.h"
#include "groups.h"
#include "message.h"

#include <stdio.h>
#include <string.h>

static int handled;
static MPI_Comm handled_comm;

static void handle(MPI_Comm* comm, int* code, ...) {
  (void)code;
  ++handled;
  handled_comm = *comm;
}

static const char* told(int code, MPI_Comm comm) {
  static char text[100];
  // MPICH calls a handler of the program's and then tells its caller of no error, who may find one and call
  // it again.
  sprintf(text, "%s, %s%s", error_text(code), handled != 0 ? "handled" : "not handled",
          handled == 0 || handled_comm == comm ? "" : " elsewhere");
  handled = 0;
  return text;
}

enum { long_tag = 21, after_tag };

/// Messages of which half has place, by each way to receive, and one after each that has place.
static void too_long(MPI_Comm comm, int kind, int bytes) {
  static const char* const names[] = {"Recv", "Irecv Wait", "Mprobe Mrecv", "Recv_init", "Sendrecv"};
  for (int way = 0; way < 5; ++way) {
    struct side s = side_of(kind, bytes, 0, world.rank), r = side_of(kind, bytes / 2, 0, 5);
    MPI_Request sent = MPI_REQUEST_NULL, request = MPI_REQUEST_NULL;
    MPI_Status status = {0};
    MPI_Message message;
    status.MPI_SOURCE = status.MPI_TAG = -99;
    int code = MPI_SUCCESS, sending = MPI_SUCCESS;
    if (way != 4) sending = TWIN(MPI_Isend, s.buf, s.count, s.shape.type, world.right, long_tag, comm, &sent);
    switch (way) {
      case 0:
        code = TWIN(MPI_Recv, r.buf, r.count, r.shape.type, world.left, long_tag, comm, &status);
        break;
      case 1:
        TWIN(MPI_Irecv, r.buf, r.count, r.shape.type, world.left, long_tag, comm, &request);
        code = MPI_Wait(&request, &status);
        break;
      case 2:
        MPI_Mprobe(world.left, long_tag, comm, &message, &status);
        code = TWIN(MPI_Mrecv, r.buf, r.count, r.shape.type, &message, &status);
        break;
      case 3:
        TWIN(MPI_Recv_init, r.buf, r.count, r.shape.type, world.left, long_tag, comm, &request);
        MPI_Start(&request);
        code = MPI_Wait(&request, &status);
        MPI_Request_free(&request);
        break;
      case 4:
        code = TWIN(MPI_Sendrecv, s.buf, s.count, s.shape.type, world.right, long_tag, r.buf, r.count,
                    r.shape.type, world.left, long_tag, comm, &status);
        break;
    }
    // A message has no communicator any more in MPICH: the handler of MPI_COMM_WORLD decides what is
    // returned.
    if (way == 2) handled = code = 0;
    // Where a handler of the program's has been called, MPICH returns success from some calls.
    if (handled != 0) code = MPI_SUCCESS;
    report("too long, %s, %s %d: %s, from %d tag %d", names[way], type_names[kind], bytes, told(code, comm),
           status.MPI_SOURCE, status.MPI_TAG);
    if (sent != MPI_REQUEST_NULL) MPI_Wait(&sent, MPI_STATUS_IGNORE);
    handled = 0;
    struct side next = side_of(kind, bytes, 0, 6);
    TWIN(MPI_Sendrecv, s.buf, s.count, s.shape.type, world.right, after_tag, next.buf, next.count,
         next.shape.type, world.left, after_tag, comm, &status);
    report("  after it: %d, %s, %016lx", sending, status_text(&status, next.shape.type), side_hash(&next));
    side_free(&next);
    side_free(&s);
    side_free(&r);
  }
}

enum { several = 4 };
enum form { waitall, testall, waitsome, testsome, waitany, testany, forms };
static const char* const form_names[forms] = {"Waitall",  "Testall", "Waitsome",
                                              "Testsome", "Waitany", "Testany"};

/// Completes all, however many calls that takes; `statuses` and their errors are told of each.
static void complete(enum form form, MPI_Request* requests, MPI_Status* statuses) {
  MPI_Status some[several];
  int done = 0, n = 0, flag = 0, code = MPI_SUCCESS, indices[several];
  while (done < several) {
    n = 1;
    if (form == waitall) code = MPI_Waitall(several, requests, statuses);
    // An error ends it as well.
    if (form == testall) do
        code = MPI_Testall(several, requests, &flag, statuses);
      while (!flag && code == MPI_SUCCESS);
    if (form == waitall || form == testall) return;
    if (form == waitsome) code = MPI_Waitsome(several, requests, &n, indices, some);
    if (form == testsome) code = MPI_Testsome(several, requests, &n, indices, some);
    flag = 1;
    if (form == waitany) code = MPI_Waitany(several, requests, &indices[0], &some[0]);
    if (form == testany) code = MPI_Testany(several, requests, &indices[0], &flag, &some[0]);
    if (!flag) continue;
    if (n == MPI_UNDEFINED || indices[0] == MPI_UNDEFINED) return;
    for (int i = 0; i < n; ++i) {
      statuses[indices[i]] = some[i];
      if (form >= waitany) statuses[indices[i]].MPI_ERROR = code;
      if (form < waitany && code == MPI_SUCCESS) statuses[indices[i]].MPI_ERROR = MPI_SUCCESS;
    }
    done += n;
  }
}

/// The second and the fourth are too long.
static void some_too_long(MPI_Comm comm, enum form form, int kind, int unit, int own_handler) {
  struct side s[several], r[several];
  MPI_Request sent[several], requests[several];
  MPI_Status statuses[several];
  for (int i = 0; i < several; ++i) {
    s[i] = side_of(kind, unit * (i + 1), 0, i);
    r[i] = side_of(kind, i % 2 == 0 ? unit * (i + 1) : unit / 2, 0, i + 10);
    TWIN(MPI_Isend, s[i].buf, s[i].count, s[i].shape.type, world.right, i, comm, &sent[i]);
  }
  for (int i = 0; i < several; ++i) MPI_Probe(world.left, i, comm, MPI_STATUS_IGNORE);
  for (int i = 0; i < several; ++i) {
    TWIN(MPI_Irecv, r[i].buf, r[i].count, r[i].shape.type, world.left, i, comm, &requests[i]);
    statuses[i].MPI_ERROR = MPI_SUCCESS;
    statuses[i].MPI_SOURCE = statuses[i].MPI_TAG = -99;
  }
  complete(form, requests, statuses);
  // Where a handler of the program's has been called, MPICH forgets the error in all calls but Waitall and
  // its kin. An MPI may stop at the first error, and leave the others pending.
  for (int i = 0; i < 2 && !own_handler; ++i) {
    report("%s with some too long, %s %d: %s, from %d tag %d", form_names[form], type_names[kind], unit,
           error_text(statuses[i].MPI_ERROR), statuses[i].MPI_SOURCE, statuses[i].MPI_TAG);
  }
  MPI_Waitall(several, requests, MPI_STATUSES_IGNORE);
  MPI_Waitall(several, sent, MPI_STATUSES_IGNORE);
  report("  others %016lx %016lx", side_hash(&r[0]), side_hash(&r[2]));
  for (int i = 0; i < several; ++i) side_free(&s[i]), side_free(&r[i]);
  handled = 0;
}

/// Bytes of which the receiver's type makes no whole number, nor whole elements. Of short ones MPICH ends the
/// program, or tells of MPI_ERR_TYPE, as the receiver's type is contiguous or not.
static void misfit(MPI_Comm comm, int kind, int bytes) {
  struct side s = side_of(0, bytes, 0, world.rank), r = side_of(kind, bytes + 1000, 0, 5);
  MPI_Status status;
  MPI_Request sent, request;
  for (int way = 0; way < 3; ++way) {
    MPI_Message message;
    int code = MPI_SUCCESS;
    TWIN(MPI_Isend, s.buf, s.count, s.shape.type, world.right, long_tag, comm, &sent);
    if (way == 0) code = TWIN(MPI_Recv, r.buf, r.count, r.shape.type, world.left, long_tag, comm, &status);
    if (way == 1) {
      TWIN(MPI_Irecv, r.buf, r.count, r.shape.type, world.left, long_tag, comm, &request);
      code = MPI_Wait(&request, &status);
    }
    if (way == 2) {
      MPI_Mprobe(world.left, long_tag, comm, &message, &status);
      code = TWIN(MPI_Mrecv, r.buf, r.count, r.shape.type, &message, &status);
    }
    report("%d bytes into %s: %s, %s", bytes, type_names[kind], told(code, comm),
           status_text(&status, r.shape.type));
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    report("  %016lx", side_hash(&r));
  }
  side_free(&s);
  side_free(&r);
}

/// Of as many numbers as ranks would share, or send in messages.
static void result_in_place(MPI_Comm comm) {
  enum { numbers = 20000 };
  char* const memory = memory_get(sizeof(double) * numbers);
  report("Allreduce into MPI_IN_PLACE: %s", told(TWIN(MPI_Allreduce, memory, MPI_IN_PLACE, numbers, MPI_DOUBLE, MPI_SUM, comm), comm));
  MPI_Request request = MPI_REQUEST_NULL;
  report("Allgather into MPI_IN_PLACE: %s",
         told(TWIN(MPI_Allgather, memory, numbers, MPI_DOUBLE, MPI_IN_PLACE, numbers, MPI_DOUBLE, comm), comm));
  report("Iallgather into MPI_IN_PLACE: %s",
         told(TWIN(MPI_Iallgather, memory, numbers, MPI_DOUBLE, MPI_IN_PLACE, numbers, MPI_DOUBLE, comm, &request), comm));
  memory_free(memory);
}

/// Arguments that MPIs check.
static void wrong_arguments(MPI_Comm comm) {
  struct side s = side_of(3, 100, 0, 1);
  MPI_Datatype type = s.shape.type, uncommitted;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  int zero = 0;
  char packed[8];
  MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted);
  report("Send of -1: %s", told(TWIN(MPI_Send, s.buf, -1, type, world.right, 1, comm), comm));
  report("Send to 99: %s", told(TWIN(MPI_Send, s.buf, 1, type, 99, 1, comm), comm));
  report("Send with tag -5: %s", told(TWIN(MPI_Send, s.buf, 1, type, world.right, -5, comm), comm));
  report("Send of no type: %s",
         told(TWIN(MPI_Send, s.buf, 1, MPI_DATATYPE_NULL, world.right, 1, comm), comm));
  report("Send of an uncommitted type: %s",
         told(TWIN(MPI_Send, s.buf, 1, uncommitted, world.right, 1, comm), comm));
  report("Isend to 99: %s", told(TWIN(MPI_Isend, s.buf, 1, type, 99, 1, comm, &request), comm));
  report("Send_init of -1: %s", told(TWIN(MPI_Send_init, s.buf, -1, type, 0, 1, comm, &request), comm));
  report("Recv of -1: %s", told(TWIN(MPI_Recv, s.buf, -1, type, world.left, 1, comm, &status), comm));
  report("Recv from 99: %s", told(TWIN(MPI_Recv, s.buf, 1, type, 99, 1, comm, &status), comm));
  report("Irecv with tag -5: %s",
         told(TWIN(MPI_Irecv, s.buf, 1, type, world.left, -5, comm, &request), comm));
  report("Probe of 99: %s", told(MPI_Probe(99, 1, comm, &status), comm));
  const int counts[2] = {1, -1}, places[2] = {0, 1};
  struct side r = side_of(3, 100, 0, 1);
  report("Alltoallv of -1: %s",
         told(MPI_Alltoallv(s.buf, counts, places, type, r.buf, counts, places, type, comm), comm));
  report("Gatherv of -1: %s",
         told(MPI_Gatherv(s.buf, 1, type, r.buf, counts, places, type, world.rank, comm), comm));
  side_free(&r);
#if MPI_VERSION >= 4
  if (!world.large)
#endif
    report("Pack of -1: %s", told(MPI_Pack(s.buf, -1, type, packed, 8, &zero, comm), comm));
  MPI_Type_free(&uncommitted);
  side_free(&s);
}

/// A message stays matched where an argument of its receive is wrong.
static void matched_nonetheless(MPI_Comm comm, int bytes) {
  struct side s = side_of(3, bytes, 0, world.rank), r = side_of(3, bytes, 0, 5);
  MPI_Request sent, request = MPI_REQUEST_NULL;
  MPI_Status status;
  MPI_Message message;
  TWIN(MPI_Isend, s.buf, s.count, s.shape.type, world.right, after_tag, comm, &sent);
  MPI_Mprobe(world.left, after_tag, comm, &message, &status);
  const int by_mrecv = TWIN(MPI_Mrecv, r.buf, -1, r.shape.type, &message, &status);
  const int by_imrecv = TWIN(MPI_Imrecv, r.buf, -1, r.shape.type, &message, &request);
  // Whose handler is called, MPIs do not agree upon.
  handled = 0;
  report("Mrecv of -1, matched message of %d: %d, Imrecv: %d", bytes, by_mrecv != 0, by_imrecv != 0);
  TWIN(MPI_Mrecv, r.buf, r.count, r.shape.type, &message, &status);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  report("  after it: %s, %016lx", status_text(&status, r.shape.type), side_hash(&r));
  side_free(&s);
  side_free(&r);
}

/// A handle that is none beside a receive that goes on: what the MPI leaves of the answer is not looked at.
/// Where handles are pointers, MPIs read what such a one points to.
static void no_request(MPI_Comm comm) {
#ifndef MPICH_VERSION
  (void)comm;
#else
  struct side s = side_of(3, 600, 0, 1), r = side_of(3, 600, 0, 2);
  MPI_Request sent, requests[2];
  MPI_Status statuses[2];
  for (int form = testall; form <= testsome; ++form) {
    if (form == waitsome) continue;
    int found = 1 << 20, indices[2] = {1 << 20, 1 << 20};
    TWIN(MPI_Isend, s.buf, s.count, s.shape.type, world.right, after_tag, comm, &sent);
    MPI_Probe(world.left, after_tag, comm, MPI_STATUS_IGNORE);
    TWIN(MPI_Irecv, r.buf, r.count, r.shape.type, world.left, after_tag, comm, &requests[0]);
    memset(&requests[1], 0, sizeof requests[1]);
    const int code = form == testall ? MPI_Testall(2, requests, &found, statuses)
                                     : MPI_Testsome(2, requests, &found, indices, statuses);
    report("%s with no request: %s", form_names[form], error_text(code));
    const int waited = MPI_Wait(&requests[0], statuses);
    report("  after it: %s, %016lx", error_text(waited), side_hash(&r));
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
  }
  side_free(&s);
  side_free(&r);
#endif
}

void group_errors(void) {
  MPI_Errhandler handler;
  MPI_Comm comm;
  MPI_Comm_dup(world.comm, &comm);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  // Calls with large counts differ in nothing but these: with one handler they are tried.
  for (int own = 0; own < 2 - world.large; ++own) {
    if (own == 0) {
      MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    } else {
      MPI_Comm_create_errhandler(handle, &handler);
      MPI_Comm_set_errhandler(comm, handler);
      MPI_Errhandler_free(&handler);
    }
    for (int kind = 0; kind < types; ++kind) too_long(comm, kind, message_sizes[2 + kind % (sizes - 3)]);
    too_long(comm, 3, 1 << 20);
    for (int form = 0; form < forms; ++form) {
      some_too_long(comm, (enum form)form, 0, 600, own);
      some_too_long(comm, (enum form)form, 3, 600, own);
      some_too_long(comm, (enum form)form, 3, 20000, own);
    }
    for (int kind = 0; kind < types; ++kind) {
#ifdef OPEN_MPI
      misfit(comm, kind, 10);
      misfit(comm, kind, 1001);
#endif
      misfit(comm, kind, 70001);
    }
    wrong_arguments(comm);
    result_in_place(comm);
    if (own == 0) no_request(comm);
    for (int i = 0; i < sizes; ++i) matched_nonetheless(comm, message_sizes[i]);
  }
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&comm);
}
