// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/plan.hpp>

#include <vector>

/// Where bytes lie, run by run, up to a limit.
namespace typewarp::explanation {

struct RunPlace {
  std::int64_t begin;  ///< user bytes from the buffer's address
  std::int64_t bytes;
  std::int64_t item;
};

/// The first runs in packed order.
struct Places {
  static constexpr std::size_t most = 1 << 18;

  std::vector<RunPlace> runs;
  bool all = true;  ///< whether there are no more
  bool ascending = true;

  std::int64_t lowest() const;
  std::int64_t end() const;
};

Places places_of(const Plan& plan, std::int64_t count);

/// Cells of `cell` bytes from `begin` on: which part of each holds data.
std::vector<double> coverage(const Places& places, std::int64_t begin, std::int64_t cell, std::size_t cells);

}  // namespace typewarp::explanation
