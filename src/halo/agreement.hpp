// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo/pattern.hpp"

#include <exception>
#include <string>
#include <utility>

/// What all processes of an exchange have to be of one mind about. All are collective.
namespace typewarp::halo {

/// If any process has a problem, throws on all: Disagreement with the text of the lowest such rank, and the
/// rank.
void agree(MPI_Comm comm, const std::string& problem);

/// Calls `step`, which must not communicate, on every process. What it throws on one goes on there; the
/// others then throw Disagreement with its text.
template <typename Step>
void together(MPI_Comm comm, Step&& step) {
  std::exception_ptr own;
  std::string problem;
  try {
    std::forward<Step>(step)();
  } catch (const std::exception& error) {
    own = std::current_exception();
    problem = error.what();
  }
  try {
    agree(comm, problem);
  } catch (const Disagreement&) {
    if (own) std::rethrow_exception(own);
    throw;
  }
}

/// Throws Disagreement unless all have as many fields and the same options, but for packing and buffers.
void check_options(MPI_Comm comm, std::size_t fields, const Options& options);

/// Tells the neighbours of every transfer what will be sent, and compares what they tell with what is
/// expected here; throws Disagreement. Fills in the order in which they send each field.
void check_neighbours(MPI_Comm comm, std::span<const Field> fields, std::vector<Stage>& stages);

}  // namespace typewarp::halo
