// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/method.hpp"

#include "engine/device/kernels/layouts.hpp"
#include "engine/device/kernels/words.hpp"
#include "engine/device/move/choice.hpp"
#include "engine/device/layout/lists.hpp"
#include "engine/runtime/displaced.hpp"

#include <algorithm>
#include <optional>

namespace typewarp::gpu {
namespace {

Shape generic_shape() {
  Shape shape;
  shape.lookup = Lookup::generic;
  return shape;
}

/// A side of which only the layout and the kind of memory are known.
class HypotheticalOperand : public OperandTraits {
 public:
  HypotheticalOperand(const PackedTransfer& transfer, bool generic)
      : OperandTraits(MemoryKind::device, false) {
    const plan::State& state = plan::state_of(transfer.plan);
    const Shape item = generic ? generic_shape() : shape_of(state.encoding);
    be_items(state, transfer.count, displaced(nullptr, state.layout.offset), item,
             generic ? shortest_run(state.encoding) : average_run(state.encoding, item));
    if (shape().lookup == Lookup::generic) return;
    made_ = pattern_of(state.encoding, shape(), state.extent);
    if (made_) pattern_ = &*made_;
  }
  HypotheticalOperand(MemoryKind packed, std::int64_t bytes) : OperandTraits(packed, false) {
    be_packed(nullptr, bytes);
  }
  HypotheticalOperand& operator=(HypotheticalOperand&&) = delete;

 private:
  std::optional<Pattern> made_;
};

std::string_view name(Lookup lookup) {
  constexpr std::string_view names[] = {"none", "list", "rank", "search", "generic"};
  return names[static_cast<int>(lookup)];
}

std::string remark_on_method(const Query& query, const Decision& decision) {
  const Hints& hints = query.hints;
  const std::string hint = "method=" + std::string(name(hints.method));
  if (decision.chosen == hints.method) return hint + ": it is taken";
  const MethodRow& wanted = row_of(hints.method);
  const bool bounded = hints.max_blocks > 0 && wanted.can(query);
  return hint + ": impossible, it needs " + (bounded ? "as many thread blocks as it likes" : wanted.needs);
}

std::string why_not_spared(const Query& query) {
  if (!query.move.on_link()) return "the driver copies within a device by kernels of its own";
  if (holds(query.hints.avoid, Resource::copy_engines)) return "copy engines are to be avoided too";
  return "copy engines move contiguous bytes and equal rows only";
}

std::string remark_on_multiprocessors(const Query& query, const Decision& decision, bool spared) {
  const Hints& hints = query.hints;
  const std::string hint = "avoid=multiprocessors";
  if (spared) return hint + ": no kernel runs";
  if (decision.chosen == hints.method) return hint + ": not heeded, as the method is asked for by name";
  return hint + ": impossible, as " + why_not_spared(query) + "; at most " +
         std::to_string(block_limit(hints)) + " thread blocks move them";
}

const char* effect_of_priority(const MethodRow& row, bool engines) {
  if (engines) return ": of no effect, as a copy engine moves it";
  return row.kernel ? ": its kernels have it, whatever the stream's is"
                    : ": where the caller's stream has another, a stream that has it takes its place";
}

/// What becomes of each hint.
std::vector<std::string> remarks(const Query& query, const Decision& decision) {
  const Hints& hints = query.hints;
  const MethodRow& row = row_of(decision.chosen);
  const bool engines = used(row, query.move) == Resource::copy_engines;
  std::vector<std::string> result;
  if (hints.method != Method::automatic) result.push_back(remark_on_method(query, decision));
  if (holds(hints.avoid, Resource::multiprocessors)) {
    result.push_back(remark_on_multiprocessors(query, decision, engines));
  }
  if (holds(hints.avoid, Resource::copy_engines)) {
    result.push_back(engines ? "avoid=copy_engines: not heeded, as other hints ask for them"
                             : "avoid=copy_engines: kernels move it");
  }
  if (hints.max_blocks > 0) {
    result.push_back("max_blocks=" + std::to_string(hints.max_blocks) +
                     (engines ? ": no kernel runs" : ": no more of them run at a time"));
  }
  if (hints.priority != Priority::automatic) {
    result.push_back("priority=" + std::string(name(hints.priority)) + effect_of_priority(row, engines));
  }
  return result;
}

}  // namespace

Decision decision(const PackedTransfer& transfer) {
  const std::int64_t bytes = transfer.count * transfer.plan.size();
  const Hints hints = merged(Hints::of_environment(), transfer.plan.hints());
  const HypotheticalOperand layout(transfer, asks_for_generic(hints));
  const HypotheticalOperand packed(transfer.packed, bytes);
  const OperandTraits& destination = transfer.packs ? static_cast<const OperandTraits&>(packed) : layout;
  const OperandTraits& source = transfer.packs ? static_cast<const OperandTraits&>(layout) : packed;
  const MoveTraits move{destination, source, {0, bytes}, word_log2(destination, source)};
  const Query query{.move = move, .hints = hints};
  Query first = query;
  first.move.range.end = std::min(bytes, launch_limit);

  Decision result;
  const auto part = [&](const MethodRow& row) -> const Query& { return row.kernel ? first : query; };
  for (const MethodRow* row : method_rows()) {
    result.methods.push_back(
        {row->method, row->rule(), row->needs, possible(*row, part(*row)), row->suits(part(*row))});
  }
  result.chosen = choose(query);
  const bool kernel = row_of(result.chosen).kernel;
  if (kernel) result.chosen = choose(first);
  result.remarks = remarks(query, result);
  const Shape& shape = layout.shape();
  const Lookup lookup = kernel && !shape.fits(query.move.word_log2) ? Lookup::generic : shape.lookup;
  result.lookup = name(lookup);
  result.levels = shape.lookup == Lookup::generic ? 0 : static_cast<int>(shape.strided.depth);
  result.word = 1 << query.move.word_log2;
  result.run = layout.run();
  result.spread = layout.spread();
  result.launches = kernel ? (bytes + launch_limit - 1) / launch_limit : 1;
  result.few_blocks = gains_by_reserve(first.move, result.chosen, lookup);
  return result;
}

}  // namespace typewarp::gpu
