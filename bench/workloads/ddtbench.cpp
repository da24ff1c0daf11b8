// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ddtbench.hpp"

#include <numeric>
#include <random>
#include <utility>

namespace typewarp::bench {

std::vector<std::int64_t> shuffled_indices(std::int64_t n, std::int64_t total) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(total));
  std::iota(all.begin(), all.end(), 0);
  std::mt19937_64 random(2012);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    std::swap(all[i], all[i + random() % (all.size() - i)]);
  }
  all.resize(static_cast<std::size_t>(n));
  return all;
}

std::vector<NamedWorkload> ddtbench_cases() {
  std::vector<NamedWorkload> cases;
  append_wrf(cases);
  append_milc(cases);
  append_nas(cases);
  append_lammps(cases);
  append_specfem(cases);
  append_fft(cases);
  return cases;
}

}  // namespace typewarp::bench
