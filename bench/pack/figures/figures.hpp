// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench.hpp"
#include "problems.hpp"

/// The figures, each of which is a list of cases. docs/internals/measuring.md says what they show.
namespace typewarp::bench {

inline constexpr std::int64_t kibi = 1 << 10;
inline constexpr std::int64_t mebi = 1 << 20;
inline constexpr std::int64_t gibi = 1 << 30;

/// From the first to the last byte of a case whose size and spacing are swept; larger ones are left out.
inline constexpr std::int64_t largest_footprint = 8 * gibi;

/// A type of paper 000's figures.
struct Curve : Family {
  std::int64_t most;       ///< packed bytes
  std::int64_t least = 1;  ///< that hold a block
};
std::vector<Curve> curves();

/// One of every kind in a few seconds: the table that kernels are tuned by.
std::vector<Case> dev_cases();
std::vector<Case> fig4_cases();
std::vector<Case> fig6_cases();
std::vector<Case> table2_cases();
std::vector<Case> fig7_cases();
/// The same of all curves, by the library's own lookups.
std::vector<Case> lookup_cases();
std::vector<Case> beyond_cases();
std::vector<Case> ddtbench_figure_cases();
std::vector<Case> tempi_cases();
std::vector<Case> yaksa_cases();
std::vector<Case> commit_cases();
std::vector<Case> copy_cases();
std::vector<Case> latency_cases();
std::vector<Case> scheme_cases();
/// Empty where the library offers no batches.
std::vector<Case> batch_cases();

}  // namespace typewarp::bench
