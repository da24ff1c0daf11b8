// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "datatype/problem.hpp"
#include "exchange/group.hpp"
#include "exchange/parts.hpp"

#include <exception>
#include <string>

namespace typewarp::exchange {

/// Collective. Throws Error on all ranks, with the text of the lowest one that has a problem.
inline void agree(Group& group, const std::string& problem) {
  if (const auto text = group.first_problem(problem)) throw Error(std::string(call) + ": " + *text);
}

/// Calls `step`, which does not communicate, on all ranks. What it throws on one goes on there, and the
/// others throw Error with its text.
template <typename Step>
void together(Group& group, Step step) {
  std::exception_ptr own;
  std::string problem;
  try {
    step();
  } catch (const std::exception& error) {
    own = std::current_exception();
    problem = problem_of(error);
  }
  try {
    agree(group, problem);
  } catch (const Error&) {
    if (own) std::rethrow_exception(own);
    throw;
  }
}

}  // namespace typewarp::exchange
