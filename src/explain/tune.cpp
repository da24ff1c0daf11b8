// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "explain/tune.hpp"

#include "explain/model.hpp"
#include "explain/tuned_layouts.hpp"

#include <algorithm>
#include <cmath>

namespace typewarp::explanation {
namespace {

constexpr double worth_telling = 1.1;

double factor(const Change& change) { return std::max(change.ratio(), 1 / change.ratio()); }

std::optional<double> predicted_us(const MachineProfile& profile, const ExplainedMove& move) {
  std::string reason;
  const TransferFloor floor = floor_of(profile, *move.floor, move.direction == "pack");
  const auto prediction = predict(profile, *move.traits, floor.us, reason);
  if (!prediction) return std::nullopt;
  return prediction->us;
}

std::vector<Change> changed_rates(const MachineProfile& before, const MachineProfile& after) {
  return {{"copy within the device", "GB/s", before.copy_gb_per_s, after.copy_gb_per_s},
          {"device to host", "GB/s", before.to_host_gb_per_s, after.to_host_gb_per_s},
          {"host to device", "GB/s", before.to_device_gb_per_s, after.to_device_gb_per_s},
          {"launch", "us", before.launch_us, after.launch_us}};
}

}  // namespace

Tuned tune(MachineProfile rates, const Tuner& tuner) {
  Tuned result{std::move(rates), {}};
  const std::vector<TunedLayout> layouts = tuned_layouts();
  ExplainOptions options;
  options.host = false;
  options.profile = result.profile;  // without layouts: nothing is predicted from itself
  for (const TunedLayout& layout : layouts) {
    if (!tuner.more()) break;
    const Plan plan = commit(layout.make());
    std::vector<ExplainedMove> moves = explain(plan, options).moves;
    tuner.measure(moves, plan);
    for (ExplainedMove& move : moves) {
      if (!move.measured_us) continue;
      move.traits->ratio = *move.measured_us / move.floor->us;
      move.traits->source = layout.name;
      result.profile.ratios.push_back(*move.traits);
      result.moves.push_back(std::move(move));
    }
    ++result.layouts;
  }
  result.left_out = layouts.size() - result.layouts;
  return result;
}

Changes changes(const MachineProfile& before, const Tuned& after) {
  Changes result{changed_rates(before, after.profile), {}};
  double logarithms = 0;
  for (const ExplainedMove& move : after.moves) {
    const std::optional<double> then = predicted_us(before, move);
    const std::optional<double> now = predicted_us(after.profile, move);
    if (!then) ++result.new_ones;
    if (!then || !now) continue;
    const Change change{move.direction + ", " + move.memory + ", " + move.chosen + ": " + move.traits->source,
                        "us", *then, *now};
    ++result.predicted;
    logarithms += std::log(factor(change));
    if (factor(change) > worth_telling) result.predictions.push_back(change);
  }
  if (result.predicted > 0) result.mean_factor = std::exp(logarithms / static_cast<double>(result.predicted));
  std::ranges::stable_sort(result.predictions, std::ranges::greater(), factor);
  return result;
}

}  // namespace typewarp::explanation
