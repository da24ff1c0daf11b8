// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "phases.hpp"

#include "gpu.hpp"

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

long repetitions(const Subject& subject, double exchange_us, double seconds) {
  return std::lround(subject.peers.told(std::clamp(seconds * 1e6 / exchange_us, least, most)));
}

double microseconds(const Subject& subject, const std::function<void()>& phase) {
  const Clock::time_point begin = Clock::now();
  phase();
  subject.wait();
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

/// Of rank 0, before the other one begins.
double microseconds_alone(const Subject& subject, const std::function<void()>& phase) {
  const bool first = subject.peers.rank == 0;
  MPI_Barrier(subject.peers.comm);
  if (first) gpu::take_turn(subject.stream);
  const double result = first ? microseconds(subject, phase) : 0;
  MPI_Barrier(subject.peers.comm);
  if (!first) microseconds(subject, phase);
  return result;
}

}  // namespace

Phases measure_phases(const Subject& subject, const Way& way, double exchange_us, double seconds) {
  const std::array phases{&way.pack, &way.wire, &way.unpack};
  std::array<std::vector<double>, 3> samples;
  for (long i = repetitions(subject, exchange_us, seconds); i > 0; --i) {
    for (std::size_t p = 0; p < phases.size(); ++p) {
      MPI_Barrier(subject.peers.comm);
      samples[p].push_back(microseconds(subject, *phases[p]));
    }
  }
  std::array<double, 3> medians{};
  std::ranges::transform(samples, medians.begin(), median);
  MPI_Allreduce(MPI_IN_PLACE, medians.data(), 3, MPI_DOUBLE, MPI_MAX, subject.peers.comm);
  return {medians[0], medians[1], medians[2]};
}

PhasesAlone measure_phases_alone(const Subject& subject, const Way& way, double exchange_us, double seconds) {
  std::vector<double> packing;
  std::vector<double> unpacking;
  for (long i = repetitions(subject, exchange_us, seconds); i > 0; --i) {
    packing.push_back(microseconds_alone(subject, way.pack));
    way.wire();
    subject.wait();
    unpacking.push_back(microseconds_alone(subject, way.unpack));
  }
  return {median(packing), median(unpacking)};
}

}  // namespace typewarp::halo_bench
