// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
// usage: particles [count [steps]]   (each rank hands particles to the next; a message takes some members only)
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct particle {
  double position[3], velocity[3], force[3];
  int kind;
  char owned;
};

static MPI_Datatype type_of_particle(void) {
  MPI_Datatype members, particle;
  const int lengths[] = {3, 3, 1};
  const MPI_Aint places[] = {offsetof(struct particle, position), offsetof(struct particle, velocity),
                             offsetof(struct particle, kind)};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_DOUBLE, MPI_INT};
  MPI_Type_create_struct(3, lengths, places, types, &members);
  MPI_Type_create_resized(members, 0, sizeof(struct particle), &particle);
  MPI_Type_commit(&particle);
  MPI_Type_free(&members);
  return particle;
}

static void exchange(struct particle* out, struct particle* in, int count, int rank, int ranks) {
  MPI_Datatype particle = type_of_particle();  // at every step, as one finds it
  MPI_Sendrecv(out, count, particle, (rank + 1) % ranks, 0, in, count, particle, (rank + ranks - 1) % ranks, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&particle);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int count = argc > 1 ? atoi(argv[1]) : 20000, steps = argc > 2 ? atoi(argv[2]) : 100;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  struct particle* here = calloc((size_t)count, sizeof *here);
  struct particle* next = calloc((size_t)count, sizeof *next);
  for (int i = 0; i < count; ++i) here[i].position[0] = rank + i, here[i].velocity[0] = 1, here[i].kind = i % 3;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < count; ++i) here[i].position[0] += 0.5 * here[i].velocity[0];
    exchange(here, next, count, rank, ranks);
    struct particle* other = here;
    here = next, next = other;
  }
  double sum = 0, total = 0;
  for (int i = 0; i < count; ++i) sum += here[i].position[0] * (1 + here[i].kind);
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("particles %.6e\n", total);
  free(here);
  free(next);
  MPI_Finalize();
  return 0;
}
