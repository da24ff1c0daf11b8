// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "timing.hpp"

#include <typewarp/error.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <vector>

namespace typewarp::pingpong {
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

Peers both_ranks() {
  int ranks = 0;
  Peers result;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &result.rank);
  if (ranks != 2) throw Error("needs 2 ranks, and has " + std::to_string(ranks));
  MPI_Comm_dup(MPI_COMM_WORLD, &result.comm);
  return result;
}

int rank_in_host() {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int rank = 0;
  MPI_Comm_rank(host, &rank);
  MPI_Comm_free(&host);
  return rank;
}

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string version(text, static_cast<std::size_t>(length));
  return version.substr(0, version.find_first_of("\n,"));
}

bool Peers::agree(bool mine) const {
  int all = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm);
  return all == 1;
}

double Peers::told(double value) const {
  MPI_Bcast(&value, 1, MPI_DOUBLE, 0, comm);
  return value;
}

void Way::round(int rank) const {
  if (rank == 0) {
    send();
    receive();
  } else {
    receive();
    send();
  }
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

}  // namespace typewarp::pingpong
