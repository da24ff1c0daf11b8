// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "explain/places.hpp"

#include <typewarp/explain.hpp>

namespace typewarp::explanation {

/// What of `count` items of a plan is asked more than once.
struct Facts {
  Facts(const Plan& plan, std::int64_t count);

  std::int64_t bytes;
  Layout all;                ///< of all items
  std::int64_t runs;         ///< of all items
  Places places;             ///< empty where there are no bytes
  std::int64_t grain = 1;    ///< largest power of two <= 64 of which all runs and places are multiples
  bool overlapping = false;  ///< whether any byte is in two runs, as far as places are known
  bool ascending;            ///< whether no run lies before the one in front of it
};

/// Sentences, each about something in the layout itself that costs time, and what to do about it.
std::vector<std::string> advice(const Plan& plan, const Facts& facts,
                                const std::vector<ExplainedMove>& moves);

}  // namespace typewarp::explanation
