// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/host/step.hpp"
#include "plan/state.hpp"

#include <vector>

namespace typewarp::host {

/// What the host engine prepares for a plan, once: the encoding with a kernel for every node.
class Program final : public plan::Attachment {
 public:
  explicit Program(const plan::State& state);

  /// The program of a plan, made on first use.
  static const Program& of(const Plan& plan);

  /// `count` >= 1 items as one step, folded into the root where the root goes on across items. Its children
  /// point into this program; sizes that pass 64 bits saturate (no range can reach there).
  Step items(std::int64_t count) const;

  /// User bytes from the caller's address to the first byte of the type map.
  std::int64_t offset() const noexcept { return offset_; }
  /// Packed bytes of one item.
  std::int64_t size() const noexcept { return size_; }
  /// Contiguous pieces of user memory in one item.
  std::int64_t runs() const noexcept { return runs_; }
  /// Bytes of memory touched a packed byte: itself, and a cache line a run.
  double work_per_byte() const noexcept { return work_per_byte_; }

 private:
  std::int64_t offset_;
  std::int64_t size_;
  std::int64_t runs_;
  double work_per_byte_ = 0;
  std::vector<Step> steps_;
  std::vector<const Step*> members_;
  std::vector<std::vector<std::byte>> expanded_;  ///< displacements of lists that became lists of equal runs
  /// One more level over the root, or the root itself where `children_per_item_` of it are one item.
  Step outer_;
  std::int64_t children_per_item_ = 1;
};

}  // namespace typewarp::host
