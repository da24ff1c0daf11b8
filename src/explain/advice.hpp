// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "explain/places.hpp"

#include <typewarp/explain.hpp>

namespace typewarp::explanation {

/// Properties of `count` items of a plan that several checks need.
struct PlanFacts {
  PlanFacts(const Plan& plan, std::int64_t count);

  std::int64_t bytes;
  Layout all;                ///< of all items
  std::int64_t runs;         ///< of all items
  Places places;             ///< empty where there are no bytes
  std::int64_t grain = 1;    ///< largest power of two <= 64 of which all runs and places are multiples
  bool overlapping = false;  ///< whether any byte is in two runs, as far as places are known
  bool ascending;            ///< whether no run lies before the one in front of it
};

/// One sentence for each property of the layout that costs time, with what to do about it.
std::vector<std::string> advice(const Plan& plan, const PlanFacts& facts,
                                const std::vector<ExplainedMove>& moves);

}  // namespace typewarp::explanation
