// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: mesh <kind of memory> [nodes per rank [steps]]
// The halo of an unstructured mesh: the nodes of which a rank keeps copies lie anywhere among those of their
// owner, and the copies in any order, as indexed types say. Values of all copies are checked after each
// exchange.
#include "../common/memory.h"
#include "../common/report.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { components = 3 };  // of the value of a node, which lie together

static unsigned hash(unsigned x) {
  x = (x ^ (x >> 16)) * 0x45d9f3bu;
  x = (x ^ (x >> 16)) * 0x45d9f3bu;
  return x ^ (x >> 16);
}

/// Whether `keeper` has a copy of a node of another rank.
static int is_copied(int node, int owner, int keeper) {
  return hash((unsigned)(node * 64 + owner * 8 + keeper)) % 5 == 0;
}

static double value_of(int owner, int node, int component, int step) {
  return owner * 1e6 + node * 10.0 + component + step * 0.5;
}

/// The copies of nodes of a peer at one of its sides: the owner's own nodes, or places behind those of the
/// keeper.
struct list {
  int n, *nodes, *places;
  MPI_Datatype type;
};

static MPI_Datatype type_of(const struct list* list, int indexed) {
  MPI_Datatype node, type;
  int* lengths = malloc(((size_t)list->n + 1) * sizeof(int));
  for (int i = 0; i < list->n; ++i) lengths[i] = components;
  if (indexed) {
    int* at = malloc(((size_t)list->n + 1) * sizeof(int));
    for (int i = 0; i < list->n; ++i) at[i] = components * list->places[i];
    MPI_Type_indexed(list->n, lengths, at, MPI_DOUBLE, &type);
    free(at);
  } else {
    MPI_Type_contiguous(components, MPI_DOUBLE, &node);
    MPI_Type_create_indexed_block(list->n, 1, list->places, node, &type);
    MPI_Type_free(&node);
  }
  MPI_Type_commit(&type);
  free(lengths);
  return type;
}

/// `first` is where the keeper's copies begin, or -1 at the owner.
static struct list list_of(int owner, int keeper, int nodes, int first) {
  struct list list = {0, malloc((size_t)nodes * sizeof(int)), malloc((size_t)nodes * sizeof(int)),
                      MPI_DATATYPE_NULL};
  for (int node = 0; node < nodes; ++node) {
    if (is_copied(node, owner, keeper)) list.nodes[list.n++] = node;
  }
  // Copies lie in another order than the nodes: every other first, with a place left free between.
  for (int i = 0; i < list.n; ++i) {
    const int half = (list.n + 1) / 2;
    list.places[i] = first < 0 ? list.nodes[i] : first + (i % 2 == 0 ? i / 2 : half + 1 + i / 2);
  }
  list.type = type_of(&list, first < 0);
  return list;
}

static void fill(double* host, int cells, int nodes, int rank, int step) {
  for (int i = 0; i < cells; ++i) {
    for (int c = 0; c < components; ++c)
      host[components * i + c] = i < nodes ? value_of(rank, i, c, step) : -1;
  }
}

static void check(const double* host, const struct list* lists, int ranks, int rank, int step) {
  for (int peer = 0; peer < ranks; ++peer) {
    for (int i = 0; peer != rank && i < lists[peer].n; ++i) {
      for (int c = 0; c < components; ++c) {
        if (host[components * lists[peer].places[i] + c] == value_of(peer, lists[peer].nodes[i], c, step))
          continue;
        fprintf(stderr, "rank %d has not node %d of rank %d\n", rank, lists[peer].nodes[i], peer);
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
    }
  }
}

static void exchange(double* values, const struct list* sent, const struct list* kept, int ranks, int rank) {
  MPI_Request* requests = malloc(2 * (size_t)ranks * sizeof *requests);
  int n = 0, index = 0;
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer != rank) MPI_Irecv(values, 1, kept[peer].type, peer, 1, MPI_COMM_WORLD, &requests[n++]);
  }
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer != rank) MPI_Isend(values, 1, sent[peer].type, peer, 1, MPI_COMM_WORLD, &requests[n++]);
  }
  for (int i = 0; i < n; ++i) MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE);
  free(requests);
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 0;
  if (argc < 2) return 2;
  const int nodes = argc > 2 ? atoi(argv[2]) : 5000, steps = argc > 3 ? atoi(argv[3]) : 5;
  memory_kind(argv[1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  memory_device(rank);
  struct list* sent = calloc((size_t)ranks, sizeof *sent);
  struct list* kept = calloc((size_t)ranks, sizeof *kept);
  int cells = nodes, copies = 0;
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer == rank) continue;
    sent[peer] = list_of(rank, peer, nodes, -1);
    kept[peer] = list_of(peer, rank, nodes, cells);
    cells += kept[peer].n + 2;
    copies += kept[peer].n;
  }
  const size_t bytes = (size_t)cells * components * sizeof(double);
  double *host = malloc(bytes), *values = memory_get(bytes);
  for (int step = 0; step < steps; ++step) {
    fill(host, cells, nodes, rank, step);
    memory_write(values, host, bytes);
    exchange(values, sent, kept, ranks, rank);
    memory_read(host, values, bytes);
    check(host, kept, ranks, rank, step);
  }
  report("%d steps with %d copies of nodes", steps, copies);
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer != rank) MPI_Type_free(&sent[peer].type), MPI_Type_free(&kept[peer].type);
    free(sent[peer].nodes), free(sent[peer].places), free(kept[peer].nodes), free(kept[peer].places);
  }
  free(sent), free(kept), free(host);
  memory_free(values);
  report_all();
  MPI_Finalize();
  return 0;
}
