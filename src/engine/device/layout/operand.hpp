// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/copy.hpp"
#include "engine/runtime/device_resources.hpp"
#include "engine/device/layout/operand_traits.hpp"
#include "engine/device/layout/prepared.hpp"

namespace typewarp::gpu {

/// One side of a move, made ready for a device.
class Operand : public OperandTraits {
 public:
  /// `range` are the bytes that may be moved; of packed bytes, those that the side's address points to.
  /// `generic`: with Lookup::generic, whatever the layout.
  Operand(const Side& side, ByteRange range, const Device& device, bool generic = false);

  /// Words of `range` as a kernel sees them, word 0 beginning at range.begin: a multiple of the word.
  /// Takes the generic lookup, and says so, where 32 bits do not hold the indices of the shape.
  View view(ByteRange range, int word_log2, Lookup& lookup) const;

 private:
  View generic_view(std::int64_t begin) const;
  void bound(View& view, ByteRange range) const;

  const Prepared* prepared_ = nullptr;  ///< null for packed bytes
  int device_;
  std::int64_t begin_;  ///< of the bytes that may be moved
};

}  // namespace typewarp::gpu
