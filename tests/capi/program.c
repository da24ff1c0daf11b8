// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program in C: every cell of a periodic domain has the number of its place, and so have the halos after an
// exchange, while the interior is computed.
#include <typewarp/halo.h>

#include <stdio.h>
#include <stdlib.h>

enum { rows = 6, columns = 9 };

static void check(tw_result result) {
  if (result == TW_SUCCESS) return;
  fprintf(stderr, "%s\n", tw_error_text());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// [in_c]
// An array of so many cells of each process on a torus, and the exchange of its halos.
static tw_halo_exchange* make_halos(int64_t rows, int64_t columns, tw_halo_domain** domain, double** cells) {
  tw_halo_exchange* halos;
  const tw_halo_domain_options torus = {.periodic = (int[]){1, 1}};
  check(tw_halo_domain_create(MPI_COMM_WORLD, 2, (int64_t[]){rows, columns}, &torus, domain));
  *cells = malloc((size_t)tw_halo_domain_elements(*domain, NULL) * sizeof **cells);
  check(tw_halo_domain_exchange_init(*domain, MPI_DOUBLE, 1, (void*[]){*cells}, NULL, &halos));
  return halos;
}
// [/in_c]

struct work {
  const double* cells;
  tw_halo_range box[2];
  double sum;
};

static void add_up(void* argument) {
  struct work* work = argument;
  for (int64_t i = work->box[0].begin; i < work->box[0].end; ++i) {
    for (int64_t j = work->box[1].begin; j < work->box[1].end; ++j) {
      work->sum += work->cells[i * (columns + 2) + j];
    }
  }
}

static double number(const int64_t* whole, int64_t row, int64_t column) {
  return (double)((row + whole[0]) % whole[0] * whole[1] + (column + whole[1]) % whole[1]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  tw_halo_domain* domain;
  double* cells;
  tw_halo_exchange* const halos = make_halos(rows, columns, &domain, &cells);
  int64_t whole[2], origin[2];
  check(tw_halo_domain_get(domain, whole, origin));
  const int64_t elements = tw_halo_domain_elements(domain, NULL);
  for (int64_t k = 0; k < elements; ++k) cells[k] = -1;
  double inside = 0;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      cells[(i + 1) * (columns + 2) + j + 1] = number(whole, origin[0] + i, origin[1] + j);
      if (i > 0 && i < rows - 1 && j > 0 && j < columns - 1)
        inside += number(whole, origin[0] + i, origin[1] + j);
    }
  }
  struct work work = {.cells = cells};
  check(tw_halo_domain_interior(domain, work.box));
  check(tw_halo_exchange_overlap(halos, NULL, add_up, &work));
  int wrong = work.sum != inside;
  for (int64_t i = -1; i <= rows; ++i) {
    for (int64_t j = -1; j <= columns; ++j) {
      wrong += cells[(i + 1) * (columns + 2) + j + 1] != number(whole, origin[0] + i, origin[1] + j);
    }
  }
  int rank, wrong_anywhere;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&wrong, &wrong_anywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    if (wrong_anywhere == 0) {
      printf("every cell is as expected\n");
    } else {
      printf("%d are wrong\n", wrong_anywhere);
    }
  }
  tw_halo_exchange_free(halos);
  tw_halo_domain_free(domain);
  free(cells);
  MPI_Finalize();
  return wrong_anywhere != 0;
}
