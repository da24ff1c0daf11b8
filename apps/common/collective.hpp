// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace apps {

/// Something that all ranks have agreed cannot be done; rank 0 says it, once.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Collective. `problem` is this rank's, empty if it has none. If any rank has one, throws Refusal with
/// that of the lowest such rank on all of them, so that nobody is left waiting. Ranks that come early sleep
/// instead of polling, and so leave the cores to those that still work.
void agree(MPI_Comm comm, const std::string& problem);

/// Collective. Calls `step` on every rank; an exception on any becomes a Refusal on all. `step` must not
/// communicate.
template <typename Step>
void together(MPI_Comm comm, Step&& step) {
  std::string problem;
  try {
    std::forward<Step>(step)();
  } catch (const std::bad_alloc&) {
    problem = "out of memory";
  } catch (const std::exception& error) {
    problem = error.what();
  }
  agree(comm, problem);
}
}  // namespace apps
