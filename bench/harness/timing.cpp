// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "timing.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <vector>

namespace typewarp::harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int warm_up_rounds = 3;
/// Shorter samples would show the clock, which takes some 25 ns to read.
constexpr double least_sample_us = 10;
constexpr int least_samples = 5;
constexpr int least_slow_samples = 3;
constexpr double slow_us = 1e5;
constexpr int most_samples = 2000;
constexpr int most_rounds = 1000;

double microseconds(const std::function<void()>& round, int rounds) {
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < rounds; ++i) round();
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / rounds;
}

double at(const std::vector<double>& sorted, double index) {
  const double last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::lround(std::clamp(index, 0.0, last)))];
}

Sample summary(std::vector<double> halves) {
  std::ranges::sort(halves);
  const auto n = static_cast<double>(halves.size());
  const double spread = 1.96 * std::sqrt(n) / 2;  // of a binomial variable, in standard deviations
  Sample sample;
  sample.median = at(halves, (n - 1) / 2);
  sample.low = at(halves, std::floor((n - 1) / 2 - spread));
  sample.high = at(halves, std::ceil((n - 1) / 2 + spread));
  sample.p10 = at(halves, (n - 1) * 0.1);
  sample.p90 = at(halves, (n - 1) * 0.9);
  return sample;
}

}  // namespace

void Way::round(int rank) const {
  if (rank == 0) {
    send();
    receive();
  } else {
    receive();
    send();
  }
}

Sample Sample::times(double factor) const {
  Sample scaled = *this;
  for (double* const time :
       {&scaled.median, &scaled.low, &scaled.high, &scaled.p10, &scaled.p90, &scaled.median_of_peer}) {
    *time *= factor;
  }
  return scaled;
}

Sample measure(const Peers& peers, const std::function<void()>& round, double seconds) {
  // The first round may set up what later ones reuse.
  const double first_us = microseconds(round, 1);
  const double seen_us =
      peers.told(first_us) > seconds * 1e6 ? first_us : microseconds(round, warm_up_rounds);
  const double round_us = peers.told(seen_us);
  const int rounds =
      static_cast<int>(std::clamp(std::ceil(least_sample_us / round_us), 1.0, 1.0 * most_rounds));
  const int least = round_us > slow_us ? least_slow_samples : least_samples;
  const int samples =
      static_cast<int>(std::clamp(seconds * 1e6 / (round_us * rounds), 1.0 * least, 1.0 * most_samples));
  if (samples > least) microseconds(round, rounds * std::max(1, samples / 10));
  std::vector<double> halves;
  for (int i = 0; i < samples; ++i) halves.push_back(microseconds(round, rounds) / 2);
  Sample sample = summary(halves);
  std::array<double, 2> medians{};
  MPI_Allgather(&sample.median, 1, MPI_DOUBLE, medians.data(), 1, MPI_DOUBLE, peers.comm);
  MPI_Bcast(&sample, sizeof sample, MPI_BYTE, 0, peers.comm);
  sample.median_of_peer = medians[1];
  sample.samples = samples;
  sample.rounds = rounds;
  return sample;
}

}  // namespace typewarp::harness
