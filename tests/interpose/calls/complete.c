// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays of requests of all sorts, null and inactive ones among them, by each call that completes some.
#include "../common/memory.h"
#include "../common/report.h"
#include "groups.h"
#include "message.h"

#include <stdio.h>

enum { messages = 6, null_at = messages, inactive_at, sends_at, all = sends_at + messages };
enum form { wait_each, test_each, waitall, testall, waitany, testany, waitsome, testsome, get_status, forms };
static const char* const form_names[forms] = {
    "Wait", "Test", "Waitall", "Testall", "Waitany", "Testany", "Waitsome", "Testsome", "Request_get_status"};

static const int kinds[messages] = {3, 0, 9, 12, 15, 6};
static const int bytes[messages] = {20 << 10, 8, 510, 1 << 17, 4096, 0};

/// Completes all; `statuses` and `done` tell of each, and the result is how many completions were told.
static int complete_each(enum form form, MPI_Request* requests, MPI_Status* statuses) {
  int completions = 0, flag = 0;
  for (int i = all - 1; i >= 0; --i) {
    switch (form) {
      case wait_each:
        MPI_Wait(&requests[i], &statuses[i]);
        break;
      case test_each:
        for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, &statuses[i]);
        break;
      default:
        for (flag = 0; !flag;) MPI_Request_get_status(requests[i], &flag, &statuses[i]);
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
    ++completions;
  }
  return completions;
}

static int complete_any(enum form form, MPI_Request* requests, MPI_Status* statuses) {
  MPI_Status status;
  int completions = 0, index = 0, flag = 0;
  for (;;) {
    if (form == waitany) MPI_Waitany(all, requests, &index, &status);
    for (flag = form == waitany; !flag;) MPI_Testany(all, requests, &index, &flag, &status);
    if (index == MPI_UNDEFINED) break;
    statuses[index] = status;
    ++completions;
  }
  report("  at last: %s", status_text(&status, MPI_BYTE));
  return completions;
}

static int complete_some(enum form form, MPI_Request* requests, MPI_Status* statuses) {
  MPI_Status some[all];
  int completions = 0, n = 0, indices[all];
  for (;;) {
    if (form == waitsome) {
      MPI_Waitsome(all, requests, &n, indices, some);
    } else {
      MPI_Testsome(all, requests, &n, indices, some);
    }
    if (n == MPI_UNDEFINED) return completions;
    for (int i = 0; i < n; ++i) statuses[indices[i]] = some[i];
    completions += n;
  }
}

static int complete(enum form form, MPI_Request* requests, MPI_Status* statuses) {
  int flag = 0;
  switch (form) {
    case waitall:
      MPI_Waitall(all, requests, statuses);
      return all;
    case testall:
      while (!flag) MPI_Testall(all, requests, &flag, statuses);
      return all;
    case waitany:
    case testany:
      return complete_any(form, requests, statuses);
    case waitsome:
    case testsome:
      return complete_some(form, requests, statuses);
    default:
      return complete_each(form, requests, statuses);
  }
}

static void try_form(enum form form, int persistent) {
  struct side s[messages], r[messages];
  MPI_Request requests[all];
  MPI_Status statuses[all];
  int nothing = 0;
  requests[null_at] = MPI_REQUEST_NULL;
  TWIN(MPI_Recv_init, &nothing, 1, MPI_INT, world.left, 99, world.comm, &requests[inactive_at]);
  for (int i = 0; i < messages; ++i) {
    s[i] = side_of(kinds[i], bytes[i], 0, 10 * world.rank + i);
    r[i] = side_of(kinds[i], bytes[i], 0, 200 + i);
  }
  for (int i = 0; i < messages; ++i) {
    if (persistent) {
      TWIN(MPI_Recv_init, r[i].buf, r[i].count, r[i].shape.type, world.left, i, world.comm, &requests[i]);
      TWIN(MPI_Send_init, s[i].buf, s[i].count, s[i].shape.type, world.right, i, world.comm,
           &requests[sends_at + i]);
    } else {
      TWIN(MPI_Irecv, r[i].buf, r[i].count, r[i].shape.type, world.left, i, world.comm, &requests[i]);
    }
  }
  for (int round = 0; round <= 2 * persistent; ++round) {
    for (int i = 0; i < messages; ++i) side_fill(&s[i], 10 * world.rank + i + 1000 * round);
    if (persistent) {
      MPI_Startall(messages, requests);
      MPI_Startall(messages, requests + sends_at);
    } else {
      for (int i = messages - 1; i >= 0; --i) {
        TWIN(MPI_Isend, s[i].buf, s[i].count, s[i].shape.type, world.right, i, world.comm,
             &requests[sends_at + i]);
      }
    }
    const int completions = complete(form, requests, statuses);
    int null = 0;
    for (int i = 0; i < all; ++i) null += requests[i] == MPI_REQUEST_NULL;
    report("%s%s: %d completions, %d null", form_names[form], persistent ? " persistent" : "", completions,
           null);
    for (int i = 0; i < messages; ++i) {
      report("  %d: %s, %016lx", i, status_text(&statuses[i], r[i].shape.type), side_hash(&r[i]));
    }
    if (completions == all) report("  null: %s", status_text(&statuses[null_at], MPI_BYTE));
    if (completions == all) report("  inactive: %s", status_text(&statuses[inactive_at], MPI_BYTE));
  }
  for (int i = 0; i < all; ++i) {
    if (requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests[i]);
  }
  for (int i = 0; i < messages; ++i) side_free(&s[i]), side_free(&r[i]);
}

/// Arrays in which nothing is to be done.
static void try_idle(int n) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[2];
  int index = 0, flag = 0, some[2], nothing = 0;
  TWIN(MPI_Recv_init, &nothing, 1, MPI_INT, world.left, 99, world.comm, &requests[1]);
  MPI_Waitany(n, requests, &index, &statuses[0]);
  report("idle Waitany of %d: %d, %s", n, index == MPI_UNDEFINED, status_text(&statuses[0], MPI_BYTE));
  MPI_Testany(n, requests, &index, &flag, &statuses[0]);
  report("idle Testany: %d %d, %s", flag, index == MPI_UNDEFINED, status_text(&statuses[0], MPI_BYTE));
  MPI_Waitsome(n, requests, &index, some, statuses);
  report("idle Waitsome: %d", index == MPI_UNDEFINED);
  MPI_Testsome(n, requests, &index, some, statuses);
  report("idle Testsome: %d", index == MPI_UNDEFINED);
  MPI_Testall(n, requests, &flag, statuses);
  report("idle Testall: %d", flag);
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[1]);
}

/// Messages to the own rank that nothing keeps from being complete, of which one call must say so. Returns
/// how many did not: few do where it goes wrong.
static int looks_in_vain(int kind, int size) {
  struct side s[messages], r[messages];
  MPI_Request requests[messages];
  MPI_Status status, statuses[messages];
  int flag, n, indices[messages], wrong = 0;
  for (int i = 0; i < messages; ++i) s[i] = side_of(kind, size, 0, i), r[i] = side_of(kind, size, 0, i + 10);
  for (int i = 0; i < messages; ++i) {
    TWIN(MPI_Isend, s[i].buf, s[i].count, s[i].shape.type, 0, i, MPI_COMM_SELF, &requests[i]);
  }
  for (int i = 0; i < messages; ++i) {
    TWIN(MPI_Recv, r[i].buf, r[i].count, r[i].shape.type, 0, i, MPI_COMM_SELF, &status);
    flag = 1;
    if (i == 2) MPI_Testall(3, requests, &flag, statuses);
    if (i == 3) MPI_Test(&requests[3], &flag, &status);
    if (i == 4) MPI_Testany(1, &requests[4], &n, &flag, &status);
    wrong += !flag;
  }
  MPI_Testsome(1, &requests[5], &n, indices, statuses);
  wrong += n != 1;
  MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < messages; ++i) {
    TWIN(MPI_Irecv, r[i].buf, r[i].count, r[i].shape.type, 0, i, MPI_COMM_SELF, &requests[i]);
  }
  const int order[messages] = {3, 1, 4, 2, 0, 5};
  for (int i = 0; i < messages; ++i) {
    const struct side* const sent = &s[order[i]];
    TWIN(MPI_Ssend, sent->buf, sent->count, sent->shape.type, 0, order[i], MPI_COMM_SELF);
    if (i == 1) MPI_Testsome(messages, requests, &n, indices, statuses), wrong += n != 2 || indices[0] != 1;
    for (int k = 2; i == 3 && k <= 4; k += 2) MPI_Waitany(messages, requests, &n, &status), wrong += n != k;
  }
  MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < messages; ++i) side_free(&s[i]), side_free(&r[i]);
  return wrong;
}

void group_looks(void) {
  const int rounds = world.large ? 10 : 100;  // they look by the same calls
  for (int kind = 0; kind < 4; kind += 3) {
    int wrong = 0;
    // What a device still moves is not complete, and no look waits for a device: there nothing is tried.
    for (int i = 0; i < rounds && !memory_is_moved_by_device(); ++i)
      wrong += looks_in_vain(kind, i % 3 == 0 ? 8 : i % 3 == 1 ? 5000 : 70000);
    report("looks in vain: %d", wrong);
  }
}

void group_complete(void) {
  for (int form = 0; form < forms; ++form) {
    try_form((enum form)form, 0);
    try_form((enum form)form, 1);
  }
  for (int n = 0; n <= 2; ++n) try_idle(n);
}
