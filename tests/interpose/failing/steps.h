// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <mpi.h>

/// What the steps of every_kind.c share. A row is `columns` ints: a number, and gaps that nobody may touch.

enum { most_rows = 60000, columns = 3 };

extern int rank, size, other;
extern int goes_on;     ///< after an error
extern int failed;      ///< in this step
extern int is_of_all;   ///< this step: its calls are of all ranks, or of one alone
extern int tag;         ///< of the last messages: what was given up must not meet later ones
extern int *sent;       ///< 2 * most_rows rows of this rank
extern int *received;   ///< as many
extern int *host;       ///< the same, of the host
extern MPI_Datatype column;  ///< one int of each row

/// Tells an error, and ends the job unless it goes on.
void check(int code, const char* call);
#define TRY(call) check(call, #call)

/// Whether some rank has failed in this step. By the MPI alone.
int some_failed(void);
/// Buffers of their own: a message that was given up may still use those of before.
void get_buffers(void);
/// The ranks begin a step at once.
void begin(const char* step);
/// The number in a row of a rank.
int value(int from, int row);
/// `n` rows of this rank.
void fill(int* memory, int n);
/// Gaps, as many as `n` rows have ints, to receive into.
void clear(int n);
/// `n` rows that came from a rank, from its row `first` on, lie from row `at` on; else ends the job.
void expect_rows(const int* memory, int at, int from, int first, int n);
/// `n` ints without gaps are the sums of those of all ranks.
void expect_sum(const int* memory, int n);
/// Ends the job, as number `i` of `host` is not `expected`.
void wrong(int i, int expected);

/// Steps of files.
void files(int n);
