// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transfer.hpp"

#include <typewarp/explain.hpp>

#include <map>

/// What the engine chooses, beside every method that could be taken instead.
namespace typewarp::bench {

struct Verdict {
  std::string chosen;  ///< by the engine
  std::map<std::string, double>
      us;  ///< medians of all methods that can move it; of hopeless ones, of few samples

  double chosen_us() const { return us.at(chosen); }
  const std::string& best() const;
  double ratio() const { return chosen_us() / us.at(best()); }
};

/// Verifies what each method moves, and times it: the methods take turns. `explained` is of the same move.
/// Throws Error where a method moves something else.
Verdict judge(Bench& bench, const Transfer& transfer, Direction direction, const ExplainedMove& explained);

}  // namespace typewarp::bench
