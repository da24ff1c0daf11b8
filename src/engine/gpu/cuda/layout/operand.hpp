// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/copy.hpp"
#include "engine/gpu/cuda/runtime/device.hpp"
#include "engine/gpu/cuda/layout/prepared.hpp"

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

/// One side of a move, made ready for a device.
class Operand {
 public:
  /// `range` are the bytes that may be moved; of packed bytes, those that the side's address points to.
  Operand(const Side& side, ByteRange range, const Device& device);

  /// The whole side is one run, of which byte p of the stream lies at place(p).
  bool contiguous() const noexcept { return shape_.contiguous(); }
  std::byte* place(std::int64_t packed) const noexcept;

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
  const Pattern* pattern() const noexcept {
    return prepared_ != nullptr && shape_.lookup != Lookup::generic ? prepared_->pattern(shape_) : nullptr;
  }
  std::byte* base() const noexcept { return base_; }
  bool on_host() const noexcept { return memory_ == MemoryKind::pinned; }
  /// Whether the device reaches the memory over a link: the host's, or another device's.
  bool on_link() const noexcept { return on_host() || on_peer_; }

  /// Words of `range` as a kernel sees them, word 0 beginning at range.begin: a multiple of the word.
  /// Takes the generic lookup, and says so, where 32 bits do not hold the indices of the shape.
  View view(ByteRange range, int word_log2, Lookup& lookup) const;

 private:
  View generic_view(std::int64_t begin) const;
  void bound(View& view, ByteRange range) const;

  const plan::State* state_ = nullptr;  ///< null for packed bytes
  const Prepared* prepared_ = nullptr;  ///< null for packed bytes
  int device_;
  MemoryKind memory_;
  bool on_peer_;
  std::int64_t begin_;  ///< of the bytes that may be moved
  std::int64_t count_;
  std::byte* base_;  ///< where the first byte of the layout lies; of a contiguous side: byte 0 of the stream
  Shape shape_;      ///< of all items
};

}  // namespace typewarp::gpu
