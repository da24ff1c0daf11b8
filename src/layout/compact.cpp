// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "layout/compact.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace typewarp::layout {
namespace {

// Reads a list block by block and writes what is left of it. Most lists of equal blocks stay that, and need
// no counts: so these begin with the first block that differs or merges.
class Compactor {
 public:
  Compactor(const BlockList& list, const Unit& unit)
      : list_(list), unit_(unit), n_(list.displacements.size()), result_{{{}, {}, unit.stride, unit.child}} {}

  Compacted compacted() && {
    while (i_ < n_ && count() == 0) ++i_;
    if (i_ == n_) return std::move(result_);
    result_.offset = displacement();
    result_.common = count();
    read_equal();
    if (i_ < n_) read_varying();
    return std::move(result_);
  }

 private:
  // Of block i_, relative to the first one.
  std::int64_t displacement() const { return list_.displacements[i_] * list_.unit - result_.offset; }
  std::int64_t count() const { return list_.counts.empty() ? unit_.factor : list_.counts[i_] * unit_.factor; }

  void read_equal() {
    std::vector<std::int64_t>& displacements = result_.blocks.displacements;
    displacements.reserve(n_ - i_);
    displacements.push_back(0);
    std::int64_t last = 0;
    for (++i_; i_ < n_; ++i_) {
      if (count() == 0) continue;
      const std::int64_t place = displacement();
      if (count() != result_.common) return;
      if (unit_.merge && continues(place - last, result_.common, unit_.stride)) return;
      displacements.push_back(place);
      last = place;
    }
  }

  void read_varying() {
    std::vector<std::int64_t>& displacements = result_.blocks.displacements;
    std::vector<std::int64_t>& counts = result_.blocks.counts;
    counts.reserve(displacements.size() + n_ - i_);
    counts.assign(displacements.size(), result_.common);
    std::int64_t last = displacements.back();
    std::int64_t length = counts.back();
    for (; i_ < n_; ++i_) {
      if (count() == 0) continue;
      const std::int64_t place = displacement();
      if (unit_.merge && continues(place - last, length, unit_.stride)) {
        length += count();
        counts.back() = length;
        continue;
      }
      last = place;
      length = count();
      displacements.push_back(last);
      counts.push_back(length);
    }
  }

  BlockList list_;
  Unit unit_;
  std::size_t n_;
  std::size_t i_ = 0;
  Compacted result_;
};

}  // namespace

Unit unit_of(const BlockList& list) {
  const bool single = std::ranges::all_of(list.counts, [](std::int64_t count) { return count <= 1; });
  const std::int64_t bytes = run_bytes(*list.child);
  if (bytes >= 0 && (single || list.stride == bytes)) return {run(1), 1, bytes, true};
  const auto* inner = std::get_if<Repeat>(&list.child->shape);
  if (inner != nullptr && (single || continues(list.stride, inner->count, inner->stride))) {
    return {inner->child, inner->stride, inner->count, true};
  }
  return {list.child, list.stride, 1, !single};
}

Compacted compacted(const BlockList& list, const Unit& unit) { return Compactor(list, unit).compacted(); }

}  // namespace typewarp::layout
