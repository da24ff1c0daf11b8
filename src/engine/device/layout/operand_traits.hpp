// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/displaced.hpp"
#include "engine/device/layout/pattern.hpp"
#include "engine/device/layout/shape.hpp"
#include "plan/state.hpp"

#include <typewarp/engine.hpp>

namespace typewarp::gpu {

/// When a layout counts as dense or sparse: the numbers were measured on an H200
/// (docs/internals/measuring.md).
struct DensityPolicy {
  /// A layout of at most this many bytes for each packed byte is dense, and packed by deep words. Others are
  /// not: what the device works on at one moment should not be spread over too much memory.
  int dense = 4;
  /// A layout of at least this many bytes for each packed one, in runs of at most `sparse_run` bytes, is
  /// sparse.
  int sparse = 24;
  int sparse_run = 32;
  /// A sparse layout whose runs are at least so many bytes apart is far.
  int far = 128;
};
inline constexpr DensityPolicy density_policy;

/// One side of a move, as far as the choice between kernels looks at it. Needs no device: whoever derives
/// from it says what is known.
class OperandTraits {
 public:
  /// The whole side is one run, of which byte p of the stream lies at place(p).
  bool contiguous() const noexcept { return shape_.contiguous(); }
  /// Whether these are items of a plan, and not packed bytes.
  bool has_items() const noexcept { return state_ != nullptr; }
  std::byte* place(std::int64_t packed) const noexcept { return displaced(base_, packed); }

  /// Bits whose lowest set one is the widest word that this side allows.
  std::int64_t alignment() const noexcept;
  /// Bytes that lie together, on average.
  double run() const noexcept;
  /// Bytes that the layout spans for each that it holds.
  double spread() const noexcept;
  bool dense() const noexcept { return spread() <= density_policy.dense; }
  bool sparse() const noexcept {
    return spread() >= density_policy.sparse && run() <= density_policy.sparse_run;
  }
  /// Whether it is sparse, and its runs lie far apart.
  bool far() const noexcept { return sparse() && spread() * run() >= density_policy.far; }

  const Shape& shape() const noexcept { return shape_; }
  /// Null if the shape has none.
  const Pattern* pattern() const noexcept { return pattern_; }
  std::byte* base() const noexcept { return base_; }
  bool on_host() const noexcept { return memory_ == MemoryKind::pinned; }
  /// Whether the device reaches the memory over a link: the host's, or another device's.
  bool on_link() const noexcept { return on_host() || on_peer_; }

 protected:
  OperandTraits(MemoryKind memory, bool on_peer) : memory_(memory), on_peer_(on_peer) {}

  /// Packed bytes, of which byte 0 lies or would lie at `base`, up to byte `end`.
  void be_packed(std::byte* base, std::int64_t end) {
    base_ = base;
    shape_.strided.add({end, 1});
  }
  /// `count` items of shape `item`; generic, where that cannot be repeated. `base` is where the first byte of
  /// the layout lies, `run` what run() says of an irregular item.
  void be_items(const plan::State& state, std::int64_t count, std::byte* base, const Shape& item, double run);

  const plan::State* state_ = nullptr;  ///< null for packed bytes
  const Pattern* pattern_ = nullptr;

 private:
  MemoryKind memory_;
  bool on_peer_;
  std::int64_t count_ = 1;
  std::byte* base_ = nullptr;  ///< where the first byte of the layout lies; of packed bytes: byte 0
  Shape shape_;                ///< of all items
  double irregular_run_ = 1;
};

}  // namespace typewarp::gpu
