// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "phases.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace typewarp::halo_bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double least = 3;
constexpr double most = 500;

double median(std::vector<double> samples) {
  const auto middle = samples.begin() + std::ssize(samples) / 2;
  std::ranges::nth_element(samples, middle);
  return *middle;
}

}  // namespace

Phases measure_phases(const Subject& subject, const Way& way, double exchange_us, double seconds) {
  const double wanted = subject.peers.told(std::clamp(seconds * 1e6 / exchange_us, least, most));
  const std::array phases{&way.pack, &way.wire, &way.unpack};
  std::array<std::vector<double>, 3> samples;
  for (int i = 0; i < std::lround(wanted); ++i) {
    for (std::size_t p = 0; p < phases.size(); ++p) {
      MPI_Barrier(subject.peers.comm);
      const Clock::time_point begin = Clock::now();
      (*phases[p])();
      subject.wait();
      samples[p].push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    }
  }
  std::array<double, 3> medians{};
  std::ranges::transform(samples, medians.begin(), median);
  MPI_Allreduce(MPI_IN_PLACE, medians.data(), 3, MPI_DOUBLE, MPI_MAX, subject.peers.comm);
  return {medians[0], medians[1], medians[2]};
}

}  // namespace typewarp::halo_bench
