// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/move/choice.hpp"

#include "engine/device/kernels/dma.hpp"
#include "engine/device/kernels/layouts.hpp"
#include "engine/device/kernels/long_runs.hpp"
#include "engine/device/kernels/pattern_move.hpp"
#include "engine/device/kernels/transpose.hpp"
#include "engine/device/kernels/words.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace typewarp::gpu {
namespace {

/// In the order of enum class Method.
constexpr std::array rows{&dma_row,       &dma_rows_row, &bounded_row, &transposed_row,
                          &long_runs_row, &pattern_row,  &pieces_row,  &deep_words_row,
                          &words_row,     &layouts_row,  &generic_row};
static_assert(rows.size() == static_cast<std::size_t>(Method::generic));

Method choose_by_hints(const Query& query) {
  const Hints& hints = query.hints;
  if (hints.method != Method::automatic) {
    const MethodRow& forced = row_of(hints.method);
    if (possible(forced, query)) return forced.method;
  }
  const auto spares = [&](const MethodRow& row) {
    const auto taken = static_cast<unsigned>(used(row, query.move)) & static_cast<unsigned>(hints.avoid);
    return taken == 0 && possible(row, query);
  };
  for (const MethodRow* row : rows) {
    if (row->suits(query) && spares(*row)) return row->method;
  }
  // Rows that never suit by themselves come after those that a hint asks for, and Method::generic last.
  const auto end = rows.end() - 1;
  const auto sparing = std::find_if(rows.begin(), end, [&](const MethodRow* row) { return spares(*row); });
  if (sparing != end) return (*sparing)->method;
  if (holds(hints.avoid, Resource::multiprocessors)) return Method::bounded;
  Query others = query;
  others.hints.avoid = Resource::none;
  others.hints.method = Method::automatic;
  return choose_by_hints(others);
}

}  // namespace

std::span<const MethodRow* const> method_rows() noexcept { return rows; }

const MethodRow& row_of(Method method) noexcept { return *rows[static_cast<std::size_t>(method) - 1]; }

Resource used(const MethodRow& row, const MoveTraits& move) {
  const bool engines = !row.kernel && move.on_link();
  return engines ? Resource::copy_engines : Resource::multiprocessors;
}

bool possible(const MethodRow& row, const Query& query) {
  if (query.by_kernels && !row.kernel) return false;
  if (query.hints.max_blocks > 0 && row.method != Method::bounded &&
      used(row, query.move) == Resource::multiprocessors) {
    return false;
  }
  return row.can(query);
}

Method choose(const Query& query) {
  if (!query.hints.empty()) return choose_by_hints(query);
  for (const MethodRow* row : rows) {
    if (row->suits(query) && (row->kernel || !query.by_kernels)) return row->method;
  }
  return Method::layouts;
}

Priority priority_of(const Query& query, Method method) {
  const Priority wanted = query.hints.priority;
  const bool few = method == Method::bounded && passes_pcie(query.move);
  return wanted == Priority::automatic && few ? Priority::high : wanted;
}

int word_log2(const OperandTraits& destination, const OperandTraits& source) {
  const std::int64_t bits = wide | destination.alignment() | source.alignment();
  return std::countr_zero(static_cast<std::uint64_t>(bits));
}

}  // namespace typewarp::gpu
