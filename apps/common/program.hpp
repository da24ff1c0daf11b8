// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/collective.hpp"
#include "common/leave.hpp"

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <variant>

namespace apps {

enum Exit : int { passed = 0, failed = 1, refused = 2 };

/// Says what is wrong on standard error, and ends the job from wherever this rank is.
[[noreturn]] void abort_job(const std::string& program, const std::exception& error, MPI_Comm comm);

/// What only all ranks together may leave, since objects that end with all of them live outside of it: an
/// error that all ranks have agreed on is thrown, and any other ends the job.
template <typename Body>
auto leave_together(const std::string& program, MPI_Comm comm, Body&& body) {
  try {
    return body();
  } catch (const Refusal&) {
    throw;
  } catch (const std::exception& error) {
    abort_job(program, error, comm);
  }
}

/// A body that is between MPI_Init and MPI_Finalize, with its errors: what all ranks have agreed on is said
/// by rank 0, and anything else ends the job from wherever it happened.
template <typename Body>
int guarded(const std::string& program, Body&& body) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    return body();
  } catch (const Refusal& refusal) {
    if (rank == 0) {
      std::fprintf(stderr, "%s: %s\n", program.c_str(), refusal.what());
    }
    return refused;
  } catch (const std::exception& error) {
    abort_job(program, error, MPI_COMM_WORLD);
  }
}

/// Collective. Rank 0 alone calls `right`, which must not communicate with the others, and says how the
/// program has ended; all ranks return that. `validated` is whether `right` has compared the result with what
/// it must be: else the end is not called a pass.
template <typename Right>
Exit conclude(MPI_Comm comm, bool validated, Right&& right) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  int good = 1;
  together(comm, [&] {
    if (rank != 0) return;
    good = std::forward<Right>(right)() ? 1 : 0;
    std::printf("\n%s\n", good == 0 ? "FAILED" : validated ? "PASSED" : "DONE (not validated)");
    std::fflush(stdout);
  });
  MPI_Bcast(&good, 1, MPI_INT, 0, comm);
  return good != 0 ? passed : failed;
}

/// On rank 0, says what the command line was answered with. Returns the exit status.
int leave(const Leave& answer, MPI_Comm comm);

/// Throws Refusal if the MPI has granted less than the program asked for; MPIs grant all ranks alike.
void require_threads(int granted, int asked);

/// The main function of a program: initialises the MPI with `thread_level`, reads the command line by
/// `parse(argc, argv)`, a std::variant of options and Leave, and calls `run(options, comm)` on all ranks,
/// which returns an Exit.
template <typename Parse, typename Run>
int run_program(const std::string& program, int argc, char** argv, int thread_level, Parse&& parse,
                Run&& run) {
  int granted = 0;
  MPI_Init_thread(&argc, &argv, thread_level, &granted);
  const int result = guarded(program, [&]() -> int {
    require_threads(granted, thread_level);
    const auto parsed = parse(argc, argv);
    const Leave* answer = std::get_if<Leave>(&parsed);
    return answer != nullptr ? leave(*answer, MPI_COMM_WORLD) : run(std::get<0>(parsed), MPI_COMM_WORLD);
  });
  std::fflush(nullptr);
  MPI_Finalize();
  return result;
}

}  // namespace apps
