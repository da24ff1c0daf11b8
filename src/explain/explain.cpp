// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/explain.hpp>

#include "engine/arguments.hpp"
#include "engine/device/method.hpp"
#include "engine/host/engine.hpp"
#include "explain/advice.hpp"
#include "explain/measure.hpp"
#include "explain/places.hpp"
#include "layout/node.hpp"

#include <cmath>

namespace typewarp {
namespace {

using explanation::PlanFacts;

std::string rounded(double value) {
  const auto tenths = static_cast<std::int64_t>(std::llround(10 * value));
  const std::string whole = std::to_string(tenths / 10);
  return tenths % 10 == 0 ? whole : whole + "." + std::to_string(tenths % 10);
}

std::string how(const gpu::Decision& decision) {
  std::string text =
      decision.lookup == "none"
          ? std::to_string(decision.levels) + (decision.levels == 1 ? " regular level" : " regular levels")
          : "lookup " + std::string(decision.lookup);
  text += ", words of " + std::to_string(decision.word) + " B, runs of " + rounded(decision.run) +
          " B on average, " + rounded(decision.spread) + " B spanned per byte of data";
  if (decision.launches > 1) text += ", " + std::to_string(decision.launches) + " launches";
  if (decision.few_blocks) text += ", fewer thread blocks at a time, as runs lie far apart";
  return text;
}

ExplainedMove on_gpu(const Plan& plan, std::int64_t count, const GpuRates& rates, const PlanFacts& facts,
                     bool packs, MemoryKind packed) {
  const gpu::Decision decision = gpu::decision({plan, count, packs, packed});
  ExplainedMove move;
  move.engine = "gpu";
  move.direction = packs ? "pack" : "unpack";
  move.memory = name(packed);
  move.chosen = name(decision.chosen);
  move.remarks = decision.remarks;
  move.how = how(decision);
  move.floor = explanation::floor_of(rates, facts.all, packs, packed);
  for (const gpu::Considered& method : decision.methods) {
    move.methods.push_back(
        {std::string(name(method.method)), method.rule, method.needs, method.can, method.suits, {}});
  }
  return move;
}

ExplainedMove on_host(const Plan& plan, std::int64_t count, bool packs) {
  const host::HostDecision decision = host::decision(plan, count);
  ExplainedMove move;
  move.engine = "host";
  move.direction = packs ? "pack" : "unpack";
  move.memory = "host";
  move.chosen = decision.threads == 1 ? "one thread" : std::to_string(decision.threads) + " threads";
  move.how = decision.walk;
  return move;
}

void add_moves(Explanation& result, const Plan& plan, const ExplainOptions& options, const PlanFacts& facts) {
  if (options.gpu) {
    const GpuRates rates = explanation::rates_of(options);
    result.machine = rates.gpu;
    for (const MemoryKind packed : {MemoryKind::device, MemoryKind::pinned}) {
      for (const bool packs : {true, false}) {
        result.moves.push_back(on_gpu(plan, options.count, rates, facts, packs, packed));
      }
    }
  }
  if (!options.host) return;
  for (const bool packs : {true, false}) result.moves.push_back(on_host(plan, options.count, packs));
}

/// Segments of irregular layouts are counted in a map of one bit each.
void check_span(const Plan& plan, std::int64_t count) {
  constexpr std::int64_t largest = std::int64_t{1} << 40;
  const layout::Node& root = *plan.layout().root;
  const double span = static_cast<double>(root.true_ub) - static_cast<double>(root.true_lb) +
                      static_cast<double>(count) * std::abs(static_cast<double>(plan.extent()));
  if (span <= static_cast<double>(largest)) return;
  throw InvalidArgument("typewarp::explain", "plan", "a layout that spans more than 1 TiB",
                        "must span less: no memory holds it");
}

/// Segments of runs that overlap are found run by run.
void check_overlap(const PlanFacts& facts) {
  constexpr std::int64_t most = std::int64_t{1} << 26;
  const layout::Node& root = *facts.all.root;
  if (facts.bytes <= root.true_ub - root.true_lb || facts.runs <= most) return;
  throw InvalidArgument("typewarp::explain", "plan", "a layout that overlaps itself",
                        "must have at most " + std::to_string(most) + " runs");
}

}  // namespace

Explanation explain(const Plan& plan, const ExplainOptions& options) {
  const std::int64_t bytes = engine::whole_size("typewarp::explain", "count", options.count, plan);
  check_span(plan, options.count);
  const Datatype& type = plan.datatype();
  Explanation result{};
  result.count = options.count;
  result.size = plan.size();
  result.extent = plan.extent();
  if (!type.null()) {
    result.lb = type.lb();
    result.tree = type.to_string();
  }
  const auto& item = plan.layout();
  result.true_lb = item.offset + item.root->true_lb;
  result.true_extent = item.root->true_ub - item.root->true_lb;
  result.bytes = bytes;
  const Hints hints = merged(Hints::of_environment(), plan.hints());
  if (!hints.empty()) result.hints = hints.to_string();
  const PlanFacts facts(plan, options.count);
  check_overlap(facts);
  result.layout = facts.all.to_string();
  result.runs = facts.runs;
  if (bytes == 0) {
    result.advice.emplace_back("There are no bytes in it: nothing is moved.");
    return result;
  }
  result.picture = explanation::picture_text(facts.places, options.count);
  add_moves(result, plan, options, facts);
  if (options.measure) explanation::measure(result.moves, plan, options.count, options.device);
  result.advice = explanation::advice(plan, facts, result.moves);
  return result;
}

}  // namespace typewarp
