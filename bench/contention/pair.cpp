// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pair.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace typewarp::contention {
namespace {

double quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(std::lround(q * static_cast<double>(values.size() - 1)))];
}

struct Series {
  std::vector<double> device, host;

  void add(const Interval& interval) {
    device.push_back(interval.device_us);
    host.push_back(interval.end_us - interval.begin_us);
  }
  Times medians() const { return {quantile(device, 0.5), quantile(host, 0.5)}; }
};

struct BesideSeries {
  Series application, move, both;

  Beside summary() const { return {application.medians(), move.medians(), both.medians()}; }
};

Interval run_alone(Side& side) {
  side.enqueue();
  while (!side.is_done()) {}
  return side.interval();
}

void run_both(Side& first, Side& second) {
  first.enqueue();
  second.enqueue();
  bool first_done = false;
  bool second_done = false;
  while (!first_done || !second_done) {
    first_done = first_done || first.is_done();
    second_done = second_done || second.is_done();
  }
}

}  // namespace

double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Measured measure(Side& application, Side& move, const Events& events, const Effort& effort) {
  Series application_alone;
  Series move_alone;
  BesideSeries application_first;
  BesideSeries move_first;
  const auto add_both = [&](BesideSeries& to) {
    const Interval one = application.interval();
    const Interval other = move.interval();
    const double host = std::max(one.end_us, other.end_us) - std::min(one.begin_us, other.begin_us);
    const ByEvents seen =
        events ? events(&to == &application_first) : ByEvents{one.device_us, other.device_us, host};
    to.application.add({one.begin_us, one.end_us, seen.application});
    to.move.add({other.begin_us, other.end_us, seen.move});
    to.both.add({0, host, seen.both});
  };
  run_both(application, move);
  run_both(move, application);
  const double begin = now_us();
  int samples = 0;
  for (; samples < effort.most && (samples < effort.least || now_us() - begin < effort.enough_us);
       ++samples) {
    application_alone.add(run_alone(application));
    move_alone.add(run_alone(move));
    run_both(application, move);
    add_both(application_first);
    run_both(move, application);
    add_both(move_first);
  }
  return {application_alone.medians(), move_alone.medians(),      application_first.summary(),
          move_first.summary(),        static_cast<bool>(events), samples};
}

double alone_us(Side& side, int repetitions) {
  run_alone(side);
  Series series;
  for (int i = 0; i < repetitions; ++i) series.add(run_alone(side));
  return series.medians().device;
}

}  // namespace typewarp::contention
