// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <system_error>

#include <sched.h>

namespace typewarp::bench {
namespace {

using Clock = std::chrono::steady_clock;

double run_batch(const Contestant& contestant, int calls) {
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < calls; ++i) contestant.call();
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / calls;
}

/// Restores the cores of the calling thread at the end.
class Cores {
 public:
  explicit Cores(int core) : core_(core) {
    if (!pinned()) return;
    if (core >= CPU_SETSIZE) fail(EINVAL);
    if (sched_getaffinity(0, sizeof all_, &all_) != 0) fail(errno);
    CPU_ZERO(&one_);
    CPU_SET(static_cast<unsigned>(core), &one_);
  }
  Cores(const Cores&) = delete;
  Cores& operator=(const Cores&) = delete;
  ~Cores() {
    if (pinned()) sched_setaffinity(0, sizeof all_, &all_);
  }

  void use(int threads) const {
    if (pinned() && sched_setaffinity(0, sizeof one_, threads > 1 ? &all_ : &one_) != 0) fail(errno);
  }

 private:
  bool pinned() const { return core_ >= 0; }
  [[noreturn]] void fail(int error) const {
    throw std::system_error(error, std::generic_category(), "cannot run on core " + std::to_string(core_));
  }

  int core_;
  cpu_set_t all_;
  cpu_set_t one_;
};

double quantile(const std::vector<double>& sorted, double q) {
  return sorted[static_cast<std::size_t>(std::lround(q * static_cast<double>(sorted.size() - 1)))];
}

}  // namespace

std::vector<Timing> measure(const std::vector<Contestant>& contestants, const Effort& effort) {
  const Cores cores(effort.core);
  std::vector<int> calls;
  for (const Contestant& contestant : contestants) {
    cores.use(contestant.threads);
    double best = std::numeric_limits<double>::max();
    for (int i = 0; i < 3; ++i) best = std::min(best, run_batch(contestant, 1));
    best = std::min(best, run_batch(contestant, std::clamp(static_cast<int>(20 / best), 1, 100)));
    calls.push_back(std::clamp(static_cast<int>(effort.batch_us / best), 1, 100000));
  }
  std::vector<std::vector<double>> samples(contestants.size());
  for (int batch = 0; batch < effort.batches; ++batch) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      cores.use(contestants[i].threads);
      contestants[i].call();
      samples[i].push_back(run_batch(contestants[i], calls[i]));
    }
  }
  std::vector<Timing> timings;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    std::sort(samples[i].begin(), samples[i].end());
    const double median = quantile(samples[i], 0.5);
    timings.push_back(
        {contestants[i].name, median, (quantile(samples[i], 0.75) - quantile(samples[i], 0.25)) / median});
  }
  return timings;
}

}  // namespace typewarp::bench
