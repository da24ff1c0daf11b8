// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/layout/view.hpp"
#include "plan/encoding.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// What lookups look into, made of a plan's encoding in host memory.
namespace typewarp::gpu {

/// Whether node `index` is itself a list of runs of any length.
bool lists_runs(const plan::Encoding& encoding, std::size_t index);

/// The first item of node `index`, run by run, as a list of runs of its own: one node of kind varying and its
/// run. No node above it may have more than one child.
plan::Encoding flattened(const plan::Encoding& encoding, std::size_t index);

/// Calls `use(node, encoding)` with node `index` as a list of runs: itself, or flattened.
template <typename Use>
void with_runs(const plan::Encoding& encoding, std::size_t index, const Use& use) {
  if (lists_runs(encoding, index)) return use(encoding.nodes[index], encoding);
  const plan::Encoding flat = flattened(encoding, index);
  use(flat.nodes[0], flat);
}

/// Bytes of a run of such a list, on average.
double average_run(const plan::EncodedNode& list);
/// Bytes of the shortest runs, on average over each list of them.
double shortest_run(const plan::Encoding& encoding);

/// Offsets in user memory as kernels look them up: in 4 bytes each if they fit, if need be as multiples of
/// the unit that divides them; else in 8.
class Offsets {
 public:
  Offsets() = default;
  /// Room for `count` offsets from `low` to `high`, multiples of `unit`, a power of two.
  Offsets(std::int64_t count, std::int64_t low, std::int64_t high, std::int64_t unit);

  void set(std::int64_t i, std::int64_t offset) {
    if (width_ == sizeof(std::int32_t)) {
      reinterpret_cast<std::int32_t*>(bytes_.data())[i] = static_cast<std::int32_t>(offset >> scale_log2_);
    } else {
      reinterpret_cast<std::int64_t*>(bytes_.data())[i] = offset;
    }
  }

  const std::vector<std::byte>& bytes() const noexcept { return bytes_; }
  std::int32_t width() const noexcept { return width_; }            ///< bytes of an entry
  std::int32_t scale() const noexcept { return 1 << scale_log2_; }  ///< bytes that an entry counts

 private:
  std::vector<std::byte> bytes_;
  std::int32_t width_ = sizeof(std::int32_t);
  std::int32_t scale_log2_ = 0;
};

// Of nodes with their lists in `lookaside`, all multiples of `unit` bytes, a power of two.

/// What Lookup::list looks into, in packed order: the displacements of every unit of an irregular item whose
/// runs are cut into equal units, a node of kind varying whose blocks are runs.
Offsets unit_list(const plan::EncodedNode& node, const std::byte* lookaside, std::int64_t unit);

/// The same of the blocks of a node of kind blocks.
Offsets block_list(const plan::EncodedNode& node, const std::byte* lookaside, std::int64_t unit);

/// What Lookup::rank looks into, for one irregular item: where each unit's run lies is found by counting the
/// runs that begin up to it, in constant time (a rank over a bit vector, Jacobson 1989), where 000 bisects
/// the prefix sums of the whole list. Two bits a unit and one list entry a run.
struct RankTable {
  std::vector<RankEntry> entries;
  Offsets displacements;  ///< displacement less packed place
  std::int32_t unit_log2;
};

/// For a node of kind varying whose blocks are runs, of fewer than 2^31 units of 1 << unit_log2 bytes.
RankTable rank_table(const plan::EncodedNode& node, const std::byte* lookaside, std::int32_t unit_log2);

}  // namespace typewarp::gpu
