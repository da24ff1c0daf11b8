// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "explain/advice.hpp"

#include "datatype/node.hpp"
#include "layout/node.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

namespace typewarp::explanation {
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
    std::visit(
        [&](const auto& made) {
          if constexpr (requires { made.children; }) {
            for (const Datatype& child : made.children) waiting.push_back(&child);
          } else if constexpr (requires { made.child; }) {
            waiting.push_back(&made.child);
          }
        },
        node.constructor);
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
