// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: unplanned [mixed]
// A datatype that the library cannot read, in each call that receives or sends a message, between two ranks: at one
// end, or at both. What the other end sends may be announced, so the library has to receive all the same. Checks
// that the numbers arrive, that nothing else is written, and what the status says. `mixed`: MPI_Isendrecv_replace may
// be the MPI's, which MPICH 5.0.2 gets wrong for data with gaps.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 20000, stride = 2, depth = 1100, room = most * stride + 1, tag = 5 };

static int rank, wrong, checks;
static int* memory;
static const char* now;
static int mixed;

static void expect(int what, int line) {
  ++checks;
  if (what) return;
  ++wrong;
  printf("rank %d: %s: wrong in line %d\n", rank, now, line);
  fflush(stdout);
}
#define EXPECT(what) expect(what, __LINE__)

/// A copy under as many levels as nobody reads.
static MPI_Datatype below(MPI_Datatype given) {
  MPI_Datatype type, above;
  MPI_Type_dup(given, &type);
  for (int i = 0; i < depth; ++i) {
    MPI_Type_contiguous(1, type, &above);
    MPI_Type_free(&type);
    type = above;
  }
  MPI_Type_commit(&type);
  return type;
}
/// `items` numbers, each with a gap behind it: several such types lie one behind the other.
static MPI_Datatype with_gaps(int items) {
  MPI_Datatype block, type;
  MPI_Type_vector(items, 1, stride, MPI_INT, &block);
  MPI_Type_create_resized(block, 0, (MPI_Aint)(items * stride * (int)sizeof(int)), &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&block);
  return type;
}
static MPI_Datatype deep(int items) {
  MPI_Datatype read = with_gaps(items), unread = below(read);
  MPI_Type_free(&read);
  return unread;
}

static void fill(int from, int items) {
  for (int i = 0; i < room; ++i) memory[i] = i < items * stride && i % stride == 0 ? 1000 * from + i / stride : -1;
}
static int right(int from, int items) {
  for (int i = 0; i < room; ++i) {
    if (memory[i] != (i < items * stride && i % stride == 0 ? 1000 * from + i / stride : -1)) return 0;
  }
  return 1;
}

typedef void Receive(int count, MPI_Datatype type, int from, MPI_Status* status);
typedef void Send(int count, MPI_Datatype type, int to);

static void recv_(int count, MPI_Datatype type, int from, MPI_Status* status) {
  MPI_Recv(memory, count, type, from, tag, MPI_COMM_WORLD, status);
}
static void recv_any(int count, MPI_Datatype type, int from, MPI_Status* status) {
  (void)from;
  MPI_Recv(memory, count, type, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status);
}
static void irecv(int count, MPI_Datatype type, int from, MPI_Status* status) {
  MPI_Request request;
  MPI_Datatype gone;
  MPI_Type_dup(type, &gone);
  MPI_Irecv(memory, count, gone, from, tag, MPI_COMM_WORLD, &request);
  MPI_Type_free(&gone);
  MPI_Wait(&request, status);
}
static void irecv_test(int count, MPI_Datatype type, int from, MPI_Status* status) {
  MPI_Request request;
  int over = 0;
  MPI_Irecv(memory, count, type, from, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  while (!over) MPI_Testall(1, &request, &over, status);
}
static void recv_init(int count, MPI_Datatype type, int from, MPI_Status* status) {
  MPI_Request request;
  MPI_Recv_init(memory, count, type, from, tag, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Wait(&request, status);
  MPI_Request_free(&request);
}
static void probe(int count, MPI_Datatype type, int from, MPI_Status* status) {
  int bytes = 0;
  MPI_Probe(from, tag, MPI_COMM_WORLD, status);
  MPI_Get_count(status, MPI_INT, &bytes);
  recv_(count, type, status->MPI_SOURCE, status);
}
static void mrecv(int count, MPI_Datatype type, int from, MPI_Status* status) {
  MPI_Message message;
  MPI_Mprobe(from, tag, MPI_COMM_WORLD, &message, status);
  MPI_Mrecv(memory, count, type, &message, status);
}
static void imrecv(int count, MPI_Datatype type, int from, MPI_Status* status) {
  MPI_Message message;
  MPI_Request request;
  int found = 0;
  while (!found) MPI_Improbe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &message, status);
  EXPECT(status->MPI_SOURCE == from);
  MPI_Imrecv(memory, count, type, &message, &request);
  MPI_Wait(&request, status);
}
static void sendrecv(int count, MPI_Datatype type, int from, MPI_Status* status) {
  MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, tag, memory, count, type, from, tag, MPI_COMM_WORLD, status);
}
static void replace(int count, MPI_Datatype type, int from, MPI_Status* status) {
  MPI_Sendrecv_replace(memory, count, type, MPI_PROC_NULL, tag, from, tag, MPI_COMM_WORLD, status);
}

static void send_(int count, MPI_Datatype type, int to) { MPI_Send(memory, count, type, to, tag, MPI_COMM_WORLD); }
static void ssend(int count, MPI_Datatype type, int to) { MPI_Ssend(memory, count, type, to, tag, MPI_COMM_WORLD); }
static void isend(int count, MPI_Datatype type, int to) {
  MPI_Request request;
  MPI_Isend(memory, count, type, to, tag, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void send_init(int count, MPI_Datatype type, int to) {
  MPI_Request request;
  MPI_Send_init(memory, count, type, to, tag, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}
static void bsend(int count, MPI_Datatype type, int to) {
  int bytes = 0;
  MPI_Pack_size(count, type, MPI_COMM_WORLD, &bytes);
  char* buffer = malloc((size_t)bytes + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(buffer, bytes + MPI_BSEND_OVERHEAD);
  MPI_Bsend(memory, count, type, to, tag, MPI_COMM_WORLD);
  MPI_Buffer_detach(&buffer, &bytes);
  free(buffer);
}
static void sending(int count, MPI_Datatype type, int to) {
  MPI_Sendrecv(memory, count, type, to, tag, NULL, 0, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// One message of `sent` numbers to rank 1, which has room for `items`.
static void message(Send* by, Receive* into, int sent, int items, MPI_Datatype type_sent, MPI_Datatype type_received) {
  MPI_Status status;
  fill(rank, rank == 0 ? sent : 0);
  if (rank == 0) by(1, type_sent, 1);
  if (rank == 0) return;
  into(1, type_received, 0, &status);
  int count = -2, elements = -2;
  MPI_Get_count(&status, type_received, &count);
  MPI_Get_elements(&status, type_received, &elements);
  EXPECT(right(0, sent) && status.MPI_SOURCE == 0 && status.MPI_TAG == tag);
  EXPECT(elements == sent && count == (sent == items ? 1 : sent == 0 ? 0 : MPI_UNDEFINED));
}

static const struct {
  const char* name;
  Receive* receive;
} receives[] = {{"MPI_Recv", recv_},       {"MPI_Recv of any", recv_any}, {"MPI_Irecv", irecv},
                {"MPI_Testall", irecv_test}, {"MPI_Recv_init", recv_init},  {"MPI_Probe", probe},
                {"MPI_Mrecv", mrecv},      {"MPI_Imrecv", imrecv},        {"MPI_Sendrecv", sendrecv},
                {"MPI_Sendrecv_replace", replace}};
static const struct {
  const char* name;
  Send* send;
} sends[] = {{"MPI_Send", send_},           {"MPI_Ssend", ssend}, {"MPI_Isend", isend},
             {"MPI_Send_init", send_init}, {"MPI_Bsend", bsend}, {"MPI_Sendrecv that sends", sending}};
#define LENGTH(of) (int)(sizeof(of) / sizeof(of)[0])

/// Two items of one datatype, and none.
static void several(int items) {
  MPI_Datatype unread = deep(items / 2);
  MPI_Status status;
  int count = -2;
  now = "several items";
  fill(rank, rank == 0 ? items : 0);
  if (rank == 0) {
    send_(2, unread, 1);
    send_(0, unread, 1);
  } else {
    recv_(2, unread, 0, &status);
    MPI_Get_count(&status, unread, &count);
    EXPECT(right(0, items) && count == 2);
    irecv(3, unread, 0, &status);
    MPI_Get_count(&status, unread, &count);
    EXPECT(right(0, items) && count == 0);
  }
  MPI_Type_free(&unread);
}

/// At addresses of its own.
static void absolute(int items, MPI_Datatype read) {
  MPI_Aint address;
  MPI_Datatype placed, unread;
  MPI_Get_address(memory, &address);
  MPI_Type_create_hindexed_block(1, 1, &address, read, &placed);
  unread = below(placed);
  now = "MPI_BOTTOM";
  fill(rank, rank == 0 ? items : 0);
  if (rank == 0) MPI_Send(MPI_BOTTOM, 1, unread, 1, tag, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(MPI_BOTTOM, 1, unread, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT(right(0, items));
  MPI_Type_free(&placed);
  MPI_Type_free(&unread);
}

static void messages(int items) {
  MPI_Datatype unread = deep(items), read = with_gaps(items);
  for (int i = 0; i < LENGTH(receives); ++i) {
    now = receives[i].name;
    message(send_, receives[i].receive, items, items, read, unread);
  }
  for (int i = 0; i < LENGTH(sends); ++i) {
    now = sends[i].name;
    message(sends[i].send, recv_, items, items, unread, read);
    message(sends[i].send, irecv, items, items, unread, unread);
  }
  MPI_Datatype half = with_gaps(items / 2);
  now = "a short message";
  message(send_, recv_, items / 2, items, half, unread);
  message(isend, mrecv, items / 2, items, half, unread);
  MPI_Type_free(&half);
  if (items % 2 == 0) several(items);
  absolute(items, read);
  MPI_Type_free(&read);
  MPI_Type_free(&unread);
}

/// Both ranks send and receive in one call.
static void both(int items) {
  MPI_Datatype unread = deep(items);
  MPI_Status status;
  const int other = 1 - rank;
  now = "MPI_Sendrecv_replace both ways";
  fill(rank, items);
  MPI_Sendrecv_replace(memory, 1, unread, other, tag, other, tag, MPI_COMM_WORLD, &status);
  EXPECT(right(other, items) && status.MPI_SOURCE == other);
  now = "MPI_Sendrecv both ways";
  fill(rank, items);
  int* sent = malloc(room * sizeof(int));
  for (int i = 0; i < room; ++i) sent[i] = memory[i];
  fill(rank, 0);
  MPI_Sendrecv(sent, 1, unread, other, tag, memory, 1, unread, other, tag, MPI_COMM_WORLD, &status);
  EXPECT(right(other, items));
  MPI_Request requests[2];
  now = "MPI_Waitall";
  fill(rank, 0);
  MPI_Irecv(memory, 1, unread, other, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(sent, 1, unread, other, tag, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  EXPECT(right(other, items));
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
  now = "MPI_Isendrecv";
  fill(rank, 0);
  MPI_Isendrecv(sent, 1, unread, other, tag, memory, 1, unread, other, tag, MPI_COMM_WORLD, requests);
  MPI_Wait(requests, &status);
  EXPECT(right(other, items));
  now = "MPI_Isendrecv_replace";
  fill(rank, items);
  if (!mixed) MPI_Isendrecv_replace(memory, 1, unread, other, tag, other, tag, MPI_COMM_WORLD, requests);
  if (!mixed) MPI_Wait(requests, &status);
  EXPECT(right(mixed ? rank : other, items));
#endif
  free(sent);
  MPI_Type_free(&unread);
}

/// Collective calls, where one rank has such a type and the other the same numbers by another.
static void collectives(int items) {
  MPI_Datatype unread = deep(items), read = with_gaps(items), types[2];
  MPI_Datatype own = rank == 1 ? unread : read;
  int* sent = malloc(2 * room * sizeof(int));
  now = "MPI_Bcast";
  for (int root = 0; root < 2; ++root) {
    fill(rank, rank == root ? items : 0);
    MPI_Bcast(memory, 1, own, root, MPI_COMM_WORLD);
    EXPECT(right(root, items));
  }
  now = "MPI_Alltoallw";
  const int places[] = {0, 0}, from_one[] = {rank == 0 ? 0 : 1, rank == 0 ? 1 : 0};
  types[0] = types[1] = own;
  fill(rank, items);
  for (int i = 0; i < room; ++i) sent[i] = memory[i];
  fill(rank, 0);
  MPI_Alltoallw(sent, from_one, places, types, memory, from_one, places, types, MPI_COMM_WORLD);
  EXPECT(right(1 - rank, items));
  now = "MPI_Alltoallv";
  fill(rank, 0);
  MPI_Alltoallv(sent, from_one, places, own, memory, from_one, places, own, MPI_COMM_WORLD);
  EXPECT(right(1 - rank, items));
  now = "MPI_Gather";
  fill(rank, 0);
  int* all = malloc(2 * (size_t)items * sizeof(int));
  MPI_Gather(sent, 1, own, all, items, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < 2 * items; ++i) EXPECT(all[i] == 1000 * (i / items) + i % items);
  free(all);
  free(sent);
  MPI_Type_free(&read);
  MPI_Type_free(&unread);
}

/// Too long a message is an error of that class, and nothing of ours is in the buffer behind it.
static void truncated(int items) {
  MPI_Datatype unread = deep(items / 2), read = with_gaps(items);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  now = "a message that is too long";
  fill(rank, rank == 0 ? items : 0);
  if (rank == 0) {
    MPI_Send(memory, 1, read, 1, tag, MPI_COMM_WORLD);
  } else {
    int class = MPI_SUCCESS;
    MPI_Error_class(MPI_Recv(memory, 1, unread, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE), &class);
    EXPECT(class == MPI_ERR_TRUNCATE);
    for (int i = items / 2 * stride; i < room; ++i) EXPECT(memory[i] == -1);
  }
  now = "a datatype that is not committed";
  MPI_Datatype uncommitted;
  MPI_Type_contiguous(1, unread, &uncommitted);
  int class = MPI_SUCCESS;
  MPI_Error_class(MPI_Recv(memory, 1, uncommitted, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE), &class);
  EXPECT(class == MPI_ERR_TYPE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Type_free(&uncommitted);
  MPI_Type_free(&read);
  MPI_Type_free(&unread);
}

enum { threads = 4, rounds = 50, each = 500 };

/// Threads do not get each other's messages. Gives the number of those that are wrong.
static void* exchange(void* number) {
  const int thread = *(const int*)number, other = 1 - rank;
  MPI_Datatype unread = deep(each);
  int sent[each * stride], received[each * stride];
  static int failed[threads];
  for (int round = 0; round < rounds; ++round) {
    MPI_Request request;
    for (int i = 0; i < each * stride; ++i) sent[i] = rank + 2 * (thread + threads * (round + i)), received[i] = -1;
    MPI_Irecv(received, 1, unread, other, thread, MPI_COMM_WORLD, &request);
    MPI_Send(sent, 1, unread, other, thread, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < each * stride; ++i)
      failed[thread] += received[i] != (i % stride ? -1 : other + 2 * (thread + threads * (round + i)));
  }
  MPI_Type_free(&unread);
  return &failed[thread];
}

static void by_threads(void) {
  pthread_t all[threads];
  int numbers[threads];
  now = "threads";
  for (int i = 0; i < threads; ++i) numbers[i] = i, pthread_create(&all[i], NULL, exchange, &numbers[i]);
  for (int i = 0; i < threads; ++i) {
    void* failed;
    pthread_join(all[i], &failed);
    EXPECT(*(int*)failed == 0);
  }
}

int main(int argc, char** argv) {
  const int lengths[] = {2, 24, 1000, most};
  mixed = argc > 1;
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memory = malloc(room * sizeof(int));
  for (int i = 0; i < LENGTH(lengths); ++i) {
    messages(lengths[i]);
    both(lengths[i]);
    collectives(lengths[i]);
    truncated(lengths[i]);
  }
  if (level == MPI_THREAD_MULTIPLE) by_threads();
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf(all == 0 ? "all %d are right\n" : "after %d: something is wrong\n", checks);
  free(memory);
  MPI_Finalize();
  return all != 0;
}
