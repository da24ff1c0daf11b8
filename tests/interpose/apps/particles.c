// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: particles <kind of memory> [particles per rank [steps]]
// Particles that move between ranks: their places and velocities lie in arrays of the kind of memory, their
// numbers in one of the program's own, and one struct of absolute addresses, sent from MPI_BOTTOM, takes
// those that leave out of all three. To the right their number goes ahead of them; to the left the receiver
// probes for it. Each particle is checked after each step.
#include "../common/memory.h"
#include "../common/report.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct particles {
  int n, most;
  double *places, *velocities;  ///< three of each particle
  int* numbers;
};

static double place_of(int number, int axis) { return number + axis * 0.25; }
static double velocity_of(int number, int axis) { return -number - axis * 0.125; }

/// 0 stays, 1 goes to the right, 2 to the left.
static int way_of(int number, int step) {
  return (int)((unsigned)(number * 2654435761u + (unsigned)step * 40503u) >> 13) % 3;
}

/// Of the particles `indices`, in all three arrays.
static MPI_Datatype type_of(const struct particles* particles, const int* indices, int n) {
  int *three = malloc(((size_t)n + 1) * sizeof(int)), *at = malloc(((size_t)n + 1) * sizeof(int));
  const int ones[3] = {1, 1, 1};
  MPI_Datatype parts[3], type;
  MPI_Aint addresses[3];
  for (int i = 0; i < n; ++i) three[i] = 3, at[i] = 3 * indices[i];
  MPI_Type_indexed(n, three, at, MPI_DOUBLE, &parts[0]);
  MPI_Type_dup(parts[0], &parts[1]);
  MPI_Type_create_indexed_block(n, 1, indices, MPI_INT, &parts[2]);
  MPI_Get_address(particles->places, &addresses[0]);
  MPI_Get_address(particles->velocities, &addresses[1]);
  MPI_Get_address(particles->numbers, &addresses[2]);
  MPI_Type_create_struct(3, ones, addresses, parts, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i < 3; ++i) MPI_Type_free(&parts[i]);
  free(at);
  free(three);
  return type;
}

/// Of n particles behind those that are there.
static MPI_Datatype type_behind(const struct particles* particles, int n) {
  int* indices = malloc(((size_t)n + 1) * sizeof(int));
  for (int i = 0; i < n; ++i) indices[i] = particles->n + i;
  MPI_Datatype type = type_of(particles, indices, n);
  free(indices);
  return type;
}

/// Those that go a way leave, and those that come that way are put behind the others.
static void move(struct particles* particles, int way, int step, int to, int from) {
  int* indices = malloc(((size_t)particles->n + 1) * sizeof(int));
  int leaving = 0, arriving = 0, elements = 0;
  MPI_Request request;
  MPI_Status status;
  for (int i = 0; i < particles->n; ++i) {
    if (way_of(particles->numbers[i], step) == way) indices[leaving++] = i;
  }
  MPI_Datatype gone = type_of(particles, indices, leaving);
  if (way == 1) {
    MPI_Sendrecv(&leaving, 1, MPI_INT, to, 0, &arriving, 1, MPI_INT, from, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Datatype come = type_behind(particles, arriving);
    MPI_Irecv(MPI_BOTTOM, 1, come, from, 1, MPI_COMM_WORLD, &request);
    MPI_Send(MPI_BOTTOM, 1, gone, to, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&come);
  } else {
    MPI_Isend(MPI_BOTTOM, 1, gone, to, 2, MPI_COMM_WORLD, &request);
    MPI_Probe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &elements);
    arriving = elements / (6 * (int)sizeof(double) + (int)sizeof(int));
    MPI_Datatype come = type_behind(particles, arriving);
    MPI_Recv(MPI_BOTTOM, 1, come, status.MPI_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&come);
  }
  MPI_Type_free(&gone);
  // Who goes on in the same step is told by the step, so nobody goes both ways: the others close up.
  const size_t bytes = (size_t)(particles->n + arriving) * 3 * sizeof(double);
  double *places = malloc(bytes + 1), *velocities = malloc(bytes + 1);
  memory_read(places, particles->places, bytes);
  memory_read(velocities, particles->velocities, bytes);
  int kept = 0, next = 0;
  for (int i = 0; i < particles->n + arriving; ++i) {
    if (next < leaving && i == indices[next]) {
      ++next;
      continue;
    }
    memmove(places + 3 * kept, places + 3 * i, 3 * sizeof(double));
    memmove(velocities + 3 * kept, velocities + 3 * i, 3 * sizeof(double));
    particles->numbers[kept++] = particles->numbers[i];
  }
  memory_write(particles->places, places, bytes);
  memory_write(particles->velocities, velocities, bytes);
  particles->n = kept;
  free(velocities);
  free(places);
  free(indices);
}

static void check(const struct particles* particles, int all) {
  const size_t bytes = (size_t)particles->n * 3 * sizeof(double);
  double *places = malloc(bytes + 1), *velocities = malloc(bytes + 1);
  long mine[2] = {particles->n, 0}, total[2];
  memory_read(places, particles->places, bytes);
  memory_read(velocities, particles->velocities, bytes);
  for (int i = 0; i < particles->n; ++i) {
    const int number = particles->numbers[i];
    mine[1] += number;
    for (int axis = 0; axis < 3; ++axis) {
      if (places[3 * i + axis] == place_of(number, axis) &&
          velocities[3 * i + axis] == velocity_of(number, axis))
        continue;
      fprintf(stderr, "particle %d is not what it was\n", number);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  MPI_Allreduce(mine, total, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (total[0] != all || total[1] != (long)all * (all - 1) / 2) {
    fprintf(stderr, "particles were lost: %ld of %d are left\n", total[0], all);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  free(velocities);
  free(places);
}

static struct particles made(int rank, int ranks, int each) {
  struct particles particles = {each, each * ranks, NULL, NULL, NULL};
  const size_t bytes = (size_t)particles.most * 3 * sizeof(double);
  double *places = calloc(1, bytes), *velocities = calloc(1, bytes);
  particles.places = memory_get(bytes);
  particles.velocities = memory_get(bytes);
  particles.numbers = calloc((size_t)particles.most, sizeof(int));
  for (int i = 0; i < each; ++i) {
    particles.numbers[i] = rank * each + i;
    for (int axis = 0; axis < 3; ++axis) {
      places[3 * i + axis] = place_of(particles.numbers[i], axis);
      velocities[3 * i + axis] = velocity_of(particles.numbers[i], axis);
    }
  }
  memory_write(particles.places, places, bytes);
  memory_write(particles.velocities, velocities, bytes);
  free(velocities);
  free(places);
  return particles;
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 0;
  if (argc < 2) return 2;
  const int each = argc > 2 ? atoi(argv[2]) : 2000, steps = argc > 3 ? atoi(argv[3]) : 6;
  memory_kind(argv[1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  memory_device(rank);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  struct particles particles = made(rank, ranks, each);
  for (int step = 0; step < steps; ++step) {
    move(&particles, 1, step, right, left);
    move(&particles, 2, step, left, right);
    check(&particles, each * ranks);
    report("step %d: %d particles", step, particles.n);
  }
  memory_free(particles.places);
  memory_free(particles.velocities);
  free(particles.numbers);
  report_all();
  MPI_Finalize();
  return 0;
}
