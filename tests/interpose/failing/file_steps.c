// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files are told by the place of blocks of `n` numbers, one for each rank.
#include "steps.h"

#include <stdio.h>
#include <unistd.h>

static MPI_Offset place_of(int from, int n) { return (MPI_Offset)from * n * (MPI_Offset)sizeof(int); }

/// `n` rows of a rank, from its row `first` on, are in the file at the block `at` of so many. All ranks look.
static void expect_in_file(MPI_File file, int at, int from, int first, int n) {
  if (some_failed()) return;
  clear(n);
  TRY(MPI_File_read_at(file, place_of(at, n), received, n, column, MPI_STATUS_IGNORE));
  expect_rows(received, 0, from, first, n);
}

/// Two at once, at the file's pointer and elsewhere.
static void files_under_way(MPI_File file, int n) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const MPI_Offset behind = place_of(size + rank, n);
  begin("MPI_File_iwrite_all");
  TRY(MPI_File_seek(file, place_of(rank, n), MPI_SEEK_SET));
  TRY(MPI_File_iwrite_all(file, sent + columns * n, n, column, &requests[0]));
  TRY(MPI_File_iwrite_at_all(file, behind, sent + 2 * columns * n, n, column, &requests[1]));
  TRY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  for (int k = 0; k < 2; ++k) expect_in_file(file, size * k + rank, rank, (k + 1) * n, n);
  const int is_written = !some_failed();
  begin("MPI_File_iread_all");
  clear(2 * n);
  TRY(MPI_File_seek(file, place_of(rank, n), MPI_SEEK_SET));
  TRY(MPI_File_iread_all(file, received, n, column, &requests[0]));
  TRY(MPI_File_iread_at_all(file, behind, received + columns * n, n, column, &requests[1]));
  TRY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  if (is_written) expect_rows(received, 0, rank, n, 2 * n);
}

static void files_in_halves(MPI_File file, int n) {
  begin("MPI_File_write_at_all_begin");
  TRY(MPI_File_write_at_all_begin(file, place_of(rank, n), sent + 3 * columns * n, n, column));
  if (!failed) TRY(MPI_File_write_at_all_end(file, sent + 3 * columns * n, MPI_STATUS_IGNORE));
  expect_in_file(file, rank, rank, 3 * n, n);
  const int is_written = !some_failed();
  begin("MPI_File_read_all_begin");
  clear(n);
  TRY(MPI_File_seek(file, place_of(rank, n), MPI_SEEK_SET));
  TRY(MPI_File_read_all_begin(file, received, n, column));
  if (!failed) TRY(MPI_File_read_all_end(file, received, MPI_STATUS_IGNORE));
  if (is_written) expect_rows(received, 0, rank, 3 * n, n);
}

/// At the pointer that the ranks share.
static void shared_files(MPI_File file, int n) {
  MPI_Request request = MPI_REQUEST_NULL;
  begin("MPI_File_write_ordered");
  TRY(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  TRY(MPI_File_write_ordered(file, sent + 4 * columns * n, n, column, MPI_STATUS_IGNORE));
  TRY(MPI_File_write_ordered_begin(file, sent + 5 * columns * n, n, column));
  if (!failed) TRY(MPI_File_write_ordered_end(file, sent + 5 * columns * n, MPI_STATUS_IGNORE));
  for (int k = 0; k < 2; ++k) expect_in_file(file, size * k + rank, rank, (k + 4) * n, n);
  const int is_written = !some_failed();
  begin("MPI_File_read_ordered");
  clear(n);
  TRY(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  TRY(MPI_File_read_ordered(file, received, n, column, MPI_STATUS_IGNORE));
  if (is_written) expect_rows(received, 0, rank, 4 * n, n);
  begin("MPI_File_iwrite_shared");
  TRY(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  if (!some_failed() && rank == 1) {
    TRY(MPI_File_write_shared(file, sent + 6 * columns * n, n, column, MPI_STATUS_IGNORE));
    if (!failed) TRY(MPI_File_iwrite_shared(file, sent + 7 * columns * n, n, column, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  PMPI_Barrier(MPI_COMM_WORLD);
  for (int k = 0; k < 2; ++k) expect_in_file(file, k, 1, (k + 6) * n, n);
}

void files(int n) {
  MPI_File file = MPI_FILE_NULL;
  char path[64];
  int process = (int)getpid();
  begin("files");
  TRY(MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD));
  if (some_failed()) return;
  snprintf(path, sizeof path, "%s/every_kind-%d", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", process);
  TRY(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
  const int is_open = !some_failed();
  unlink(path);
  if (!is_open) return;
  TRY(MPI_File_write_at_all(file, place_of(rank, n), sent, n, column, MPI_STATUS_IGNORE));
  expect_in_file(file, rank, rank, 0, n);
  clear(n);
  TRY(MPI_File_read_at_all(file, place_of(rank, n), received, n, column, MPI_STATUS_IGNORE));
  expect_rows(received, 0, rank, 0, n);
  files_under_way(file, n);
  files_in_halves(file, n);
  shared_files(file, n);
  begin("MPI_File_close");
  TRY(MPI_File_close(&file));
}
