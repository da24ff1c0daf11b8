// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/error.hpp>

#include <exception>
#include <string>
#include <utility>

namespace typewarp {

/// What a rank tells the others of its failure, who wait for that: also where it has no memory for the text.
/// Never empty.
inline std::string problem_of(const std::exception& error) noexcept {
  try {
    const std::string text = error.what();
    return text.empty() ? "it failed" : text;
  } catch (const std::exception&) {
    return "no memory";  // short enough to take none
  }
}

/// Calls `step` on every rank. What it throws on one goes on there. `agree` is collective: it is given the
/// problem of each rank, or nothing, and throws Error where any has one.
template <typename Agree, typename Step>
void together(Agree agree, Step&& step) {
  std::exception_ptr own;
  std::string problem;
  try {
    std::forward<Step>(step)();
  } catch (const std::exception& error) {
    own = std::current_exception();
    problem = problem_of(error);
  }
  try {
    agree(problem);
  } catch (const Error&) {
    if (own) std::rethrow_exception(own);
    throw;
  }
}

}  // namespace typewarp
