// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/method.hpp"

#include "engine/gpu/cuda/kernels/choice.hpp"
#include "engine/gpu/cuda/kernels/dma.hpp"
#include "engine/gpu/cuda/layout/runs.hpp"
#include "engine/gpu/displaced.hpp"

#include <algorithm>
#include <optional>

namespace typewarp::gpu {
namespace {

/// A side of which only the layout and the kind of memory are known.
class Assumed : public Described {
 public:
  explicit Assumed(const Transfer& transfer) : Described(MemoryKind::device, false) {
    const plan::State& state = plan::state_of(transfer.plan);
    const Shape item = shape_of(state.encoding);
    be_items(state, transfer.count, displaced(nullptr, state.layout.offset), item,
             average_run(state.encoding, item));
    if (shape().lookup == Lookup::generic) return;
    made_ = pattern_of(state.encoding, shape(), state.extent);
    if (made_) pattern_ = &*made_;
  }
  Assumed(MemoryKind packed, std::int64_t bytes) : Described(packed, false) { be_packed(nullptr, bytes); }
  Assumed(const Assumed&) = delete;
  Assumed& operator=(const Assumed&) = delete;

 private:
  std::optional<Pattern> made_;
};

std::string_view name(Lookup lookup) {
  constexpr std::string_view names[] = {"none", "list", "rank", "search", "generic"};
  return names[static_cast<int>(lookup)];
}

std::string name(const Choice& choice) {
  if (choice.family == Family::transposed) return "transposed";
  if (choice.family == Family::pattern) return "pattern";
  if (choice.family == Family::runs) return "long runs";
  constexpr const char* names[] = {"words", "deep words", "staged", "pieces"};
  return names[static_cast<int>(choice.strategy)];
}

std::string bytes_text(std::int64_t bytes) {
  if (bytes % (1 << 20) == 0) return std::to_string(bytes >> 20) + " MiB";
  if (bytes % 1024 == 0) return std::to_string(bytes >> 10) + " KiB";
  return std::to_string(bytes) + " B";
}

Method contiguous_copy() {
  return {"DMA", "contiguous on both sides: over a link, or more than " + bytes_text(dma_policy.by_kernel) +
                     " within a device"};
}

Method row_copy() {
  return {"DMA rows", "equal rows one stride apart, to or from host memory: of " +
                          bytes_text(dma_policy.row) + " and more, or at most " +
                          std::to_string(dma_policy.few_rows) + " of any length"};
}

/// The families of kernels in order, up to the one that is taken.
void add_kernels(std::vector<Method>& methods, const Choice& choice) {
  const auto add = [&](const char* called, std::string rule, bool suits) {
    methods.push_back({called, std::move(rule), suits});
  };
  add("transposed",
      "an outer level steps nearer than those inside it, in short runs, and enough bytes for tiles to pay",
      choice.family == Family::transposed);
  if (choice.family == Family::transposed) return;
  add("long runs",
      "into runs of " + bytes_text(family_policy.long_run) + " and more at odd addresses, over " +
          bytes_text(family_policy.few_bytes) + ", within the device: in aligned words of the destination",
      choice.family == Family::runs);
  if (choice.family == Family::runs) return;
  add("pattern",
      "small items a fixed stride apart with odd runs or gaps, more than " +
          bytes_text(family_policy.few_bytes) + " of them, within the device",
      choice.family == Family::pattern);
  if (choice.family == Family::pattern) return;
  const bool small = choice.strategy == KernelStrategy::pieces || choice.strategy == KernelStrategy::staged;
  add("pieces",
      "words under 4 B, " + std::to_string(family_policy.words_of_a_piece) + " and more in a run, over " +
          bytes_text(family_policy.few_bytes) + " (over a link " +
          bytes_text(family_policy.few_bytes_on_link) + "): 16 packed bytes a thread",
      choice.strategy == KernelStrategy::pieces);
  if (choice.strategy == KernelStrategy::pieces) return;
  add("staged",
      "words under 4 B in shorter runs, as many bytes, unless unpacked within a device or far apart: "
      "gathered into 16 B in shared memory",
      small);
  if (small) return;
  const bool deep = choice.strategy == KernelStrategy::deep_words;
  add("deep words", "irregular or dense layouts: several words in flight a thread", deep);
  if (!deep) add("words", "all else: one word a thread", true);
}

std::string add_methods(Decision& decision, const MoveTraits& move) {
  decision.methods.push_back(contiguous_copy());
  if (contiguous_by_dma(move.destination, move.source, move.bytes(), false)) {
    decision.methods.back().suits = true;
    return "DMA";
  }
  decision.methods.push_back(row_copy());
  if (!rows_by_dma(move.destination, move.source, move.range, false).empty()) {
    decision.methods.back().suits = true;
    return "DMA rows";
  }
  MoveTraits first = move;
  first.range.end = std::min(move.range.end, launch_limit);
  const Choice choice = choose(first);
  add_kernels(decision.methods, choice);
  const Shape& shape = move.layout().shape();
  const Lookup lookup = shape.fits(move.word_log2) ? shape.lookup : Lookup::generic;
  decision.lookup = name(lookup);
  decision.launches = (move.bytes() + launch_limit - 1) / launch_limit;
  decision.few_blocks = choice.family == Family::words && gains_by_reserve(first, choice.strategy, lookup);
  return name(choice);
}

}  // namespace

Decision decision(const Transfer& transfer) {
  const std::int64_t bytes = transfer.count * transfer.plan.size();
  const Assumed layout(transfer);
  const Assumed packed(transfer.packed, bytes);
  const Described& destination = transfer.packs ? static_cast<const Described&>(packed) : layout;
  const Described& source = transfer.packs ? static_cast<const Described&>(layout) : packed;
  Decision result;
  const Shape& shape = layout.shape();
  result.lookup = name(shape.lookup);
  result.levels = shape.lookup == Lookup::generic ? 0 : static_cast<int>(shape.strided.depth);
  result.word = 1 << word_log2(destination, source);
  result.run = layout.run();
  result.spread = layout.spread();
  result.launches = 1;
  result.chosen = add_methods(result, {destination, source, {0, bytes}, word_log2(destination, source)});
  return result;
}

}  // namespace typewarp::gpu
