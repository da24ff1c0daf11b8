// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/explain.hpp>

#include <functional>

/// A profile of the machine that it is made on.
namespace typewarp::explanation {

/// What tune() is given: tests have their own.
struct Tuner {
  /// Notes the times of moves, as measure() does.
  std::function<void(std::vector<ExplainedMove>& moves, const Plan& plan)> measure;
  /// Whether there is time for one more layout.
  std::function<bool()> more;
};

struct Tuned {
  MachineProfile profile;
  /// Those that `profile.ratios` are of, in that order.
  std::vector<ExplainedMove> moves;
  std::size_t layouts = 0, left_out = 0;
};

/// Measures the layouts of tuned_layouts(), all or as many as there is time for, and adds what that tells to
/// a profile that has rates. Moves that `measure` notes no time of are left out.
Tuned tune(MachineProfile rates, const Tuner& tuner);

/// A number, or the time that is predicted of a move, by one profile and by another.
struct Change {
  std::string what;
  std::string unit;
  double before, after;
  double ratio() const { return after / before; }
};

/// What another profile would have said.
struct Changes {
  std::vector<Change> rates;        ///< all of them
  std::vector<Change> predictions;  ///< that change by more than 10 %, those first that change most
  std::size_t predicted = 0;        ///< moves of which both profiles tell a time
  std::size_t new_ones = 0;         ///< of which only the new one does
  double mean_factor = 1;  ///< geometric mean of the factors by which predictions change, each above 1
};

Changes changes(const MachineProfile& before, const Tuned& after);

}  // namespace typewarp::explanation
