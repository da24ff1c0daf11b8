// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What a rank has to say, kept until all ranks tell it: launchers mix the lines of ranks that print at once.

/// Adds a line of this rank, made as printf does. With the environment variable REPORT_NOW the line goes to
/// stderr at once as well, which shows where a program hangs or dies.
void report(const char* format, ...) __attribute__((format(printf, 1, 2)));
/// Collective over MPI_COMM_WORLD: rank 0 prints the lines of all ranks, each behind "rank N: ".
void report_all(void);
