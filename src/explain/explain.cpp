// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/explain.hpp>

#include "datatype/node.hpp"
#include "engine/arguments.hpp"
#include "engine/device/method.hpp"
#include "engine/host/engine.hpp"
#include "explain/measure.hpp"
#include "explain/places.hpp"
#include "layout/node.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace typewarp::explanation {

/// Properties of `count` items of a plan that several checks need.
struct PlanFacts {
  PlanFacts(const Plan& plan, std::int64_t count);

  std::int64_t bytes;
  Layout all;                ///< of all items
  std::int64_t runs;         ///< of all items
  Places places;             ///< empty where there are no bytes
  std::int64_t grain = 1;    ///< largest power of two <= 64 of which all runs and places are multiples
  bool overlapping = false;  ///< whether any byte is in two runs, as far as places are known
  bool ascending;            ///< whether no run lies before the one in front of it
};

namespace {

constexpr std::int64_t widest_grain = 64;
constexpr std::int64_t sector = 32;

std::string text(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.1f", value);
  return digits;
}

std::string text(std::int64_t value) { return std::to_string(value); }

/// Whether `wanted` holds for any node of the tree. Visits each node once.
template <typename Wanted>
bool any_node(const Datatype& root, const Wanted& wanted) {
  std::vector<const Datatype*> waiting{&root};
  std::set<const datatype::Node*> seen;
  while (!waiting.empty()) {
    const Datatype& type = *waiting.back();
    waiting.pop_back();
    const datatype::Node& node = datatype::node_of(type);
    if (!seen.insert(&node).second) continue;
    if (wanted(node)) return true;
    datatype::for_each_child(node.constructor, [&](const Datatype& child) { waiting.push_back(&child); });
  }
  return false;
}

template <typename... Made>
bool is_any(const datatype::Node& node) {
  return (std::holds_alternative<Made>(node.constructor) || ...);
}

bool is_list(const datatype::Node& node) {
  using namespace datatype;  // NOLINT(google-build-using-namespace): constructors
  return is_any<Indexed, Hindexed, IndexedBlock, HindexedBlock>(node);
}

bool regular(const layout::Node& node) {
  const layout::Node* at = &node;
  while (const auto* repeat = std::get_if<layout::Repeat>(&at->shape)) at = repeat->child.get();
  return std::holds_alternative<layout::Run>(at->shape);
}

double launch_share(const ExplainedMove& move) { return move.floor->launch_us / move.floor->us; }

/// Whether the launch takes nearly all the time, so that the layout hardly matters.
bool launch_is_all(const ExplainedMove& move) { return launch_share(move) >= 0.9; }

/// Segments that hold little data.
void about_sparse(const PlanFacts& facts, const ExplainedMove& move, std::vector<std::string>& advice) {
  const double share = static_cast<double>(move.floor->layout_bytes) / static_cast<double>(facts.bytes);
  if (share < 2 || facts.runs < 2 || launch_is_all(move)) return;
  const double run = static_cast<double>(facts.bytes) / static_cast<double>(facts.runs);
  advice.push_back("Runs of " + text(run) + " B make the memory move " + text(share) +
                   " B for each byte of data, since it moves 64 B at a time. Arrays of their own for what is "
                   "sent together, or another order of dimensions, would save up to " +
                   text(100 * (1 - 1 / share)) + " % of that.");
}

void about_order(const Plan& plan, const PlanFacts& facts, std::vector<std::string>& advice) {
  if (facts.ascending || facts.overlapping) return;
  if (!plan.datatype().null() && any_node(plan.datatype(), is_list)) {
    advice.emplace_back(
        "The runs are listed in no ascending order, so that neighbours in the message lie anywhere in "
        "memory. If both sides may agree on another order, sort the displacements.");
    return;
  }
  advice.emplace_back(
      "The message has the bytes in another order than memory: a stride is negative, an outer stride is "
      "smaller than what lies inside it, or members of a struct are not sorted. If both sides may agree on "
      "another order, take the one of memory.");
}

void about_overlap(const PlanFacts& facts, std::vector<std::string>& advice) {
  if (!facts.overlapping) return;
  advice.emplace_back(
      "Runs overlap: MPI allows to send such a type, not to receive into it. Which of the values that are "
      "unpacked to the same byte stays is not defined.");
}

void about_regular_list(const Plan& plan, const PlanFacts& facts, std::vector<std::string>& advice) {
  // A list in another order may be regular in several levels, but nobody would write that as a vector.
  if (!facts.ascending || facts.overlapping) return;
  if (plan.datatype().null() || !regular(*plan.layout().root) || !any_node(plan.datatype(), is_list)) return;
  advice.push_back("The displacements are regular: an item is the same as '" + plan.layout().to_string() +
                   "'. Typewarp treats it so; to spell it as a vector spares every MPI the list.");
}

/// Whether there was anything to say.
bool about_padding(const Plan& plan, const PlanFacts& facts, std::vector<std::string>& advice) {
  const Datatype& type = plan.datatype();
  const auto is_struct = [](const datatype::Node& node) { return is_any<datatype::Struct>(node); };
  if (type.null() || !any_node(type, is_struct) || type.size() >= type.extent() || type.extent() > 4096)
    return false;
  advice.push_back(
      text(type.size()) + " of the " + text(type.extent()) + " B of an item are data" +
      (facts.grain < 4 ? ", in runs that are multiples of " + text(facts.grain) + " B only" : "") +
      ". If the rest is padding: " +
      (type.size() < type.true_extent() ? "members in order of size, widest first, need less of it; " : "") +
      "to send the padding too, as contiguous bytes, is faster where both sides run on the same kind of "
      "machine.");
  return true;
}

void about_alignment(const Plan& plan, const PlanFacts& facts, std::vector<std::string>& advice) {
  const double run = static_cast<double>(facts.bytes) / static_cast<double>(facts.runs);
  if (facts.runs < 2 || facts.grain >= 4 || run < 16 || plan.extent() <= 0) return;
  advice.push_back("Runs of " + text(run) + " B begin at multiples of " + text(facts.grain) +
                   " B only, so they are read and written in words of " + text(facts.grain) +
                   " B. Padding rows to a multiple of 16 B lets them go in words of 16.");
}

void about_sectors(const PlanFacts& facts, const std::vector<ExplainedMove>& moves,
                   std::vector<std::string>& advice) {
  const auto unpacks = [](const ExplainedMove& move) {
    return move.engine == "gpu" && move.direction == "unpack" && move.memory == "device" &&
           !launch_is_all(move);
  };
  if (facts.grain % sector == 0 || facts.runs < 2 || facts.overlapping ||
      std::ranges::none_of(moves, unpacks))
    return;
  advice.emplace_back(
      "To unpack writes sectors of 32 B in part, which the memory must read first: that costs more than to "
      "pack. "
      "Runs and strides of multiples of 32 B are free of it.");
}

void about_launches(const PlanFacts& facts, const ExplainedMove& move, std::vector<std::string>& advice) {
  const double launch = launch_share(move);
  if (launch < 0.8) return;
  advice.push_back(
      text(100 * launch) + " % of the least time of these " + text(facts.bytes) +
      " B is the launch. Move more at once: a larger count, one struct of several parts, or a batch.");
}

void about_lookup(const ExplainedMove& move, std::vector<std::string>& advice) {
  if (!move.how.starts_with("lookup generic")) return;
  advice.emplace_back(
      "No kernel suits the layout but the generic one, which finds each word by a walk through the tree: "
      "more than six levels, lists inside lists of more than a million runs, or items of a billion words. "
      "Fewer levels, one list, or smaller items are faster.");
}

bool overlap(std::vector<RunPlace> runs) {
  std::ranges::sort(runs, {}, &RunPlace::begin);
  const auto over = [](const RunPlace& one, const RunPlace& next) {
    return one.begin + one.bytes > next.begin;
  };
  return std::ranges::adjacent_find(runs, over) != runs.end();
}

}  // namespace

PlanFacts::PlanFacts(const Plan& plan, std::int64_t count)
    : bytes(count * plan.size()),
      all(count == 0 ? Layout() : repeat(plan.layout(), count, plan.extent())),
      runs(bytes == 0 ? 0 : layout::runs(*all.root)),
      ascending(true) {
  if (bytes == 0) return;
  places = places_of(plan, count);
  ascending = places.ascending;
  overlapping = overlap(places.runs);
  std::int64_t bits = widest_grain | plan.extent() * (count > 1 ? 1 : 0);
  for (const RunPlace& place : places.runs) bits |= (place.begin - places.runs.front().begin) | place.bytes;
  grain = bits & -bits;
}

/// One sentence for each property of the layout that costs time, with what to do about it.
std::vector<std::string> advice(const Plan& plan, const PlanFacts& facts,
                                const std::vector<ExplainedMove>& moves) {
  std::vector<std::string> result;
  if (!moves.empty() && moves.front().floor) {
    about_sparse(facts, moves.front(), result);
    about_launches(facts, moves.front(), result);
    about_lookup(moves.front(), result);
  }
  about_order(plan, facts, result);
  about_overlap(facts, result);
  about_regular_list(plan, facts, result);
  if (!about_padding(plan, facts, result)) about_alignment(plan, facts, result);
  about_sectors(facts, moves, result);
  return result;
}

}  // namespace typewarp::explanation

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
