// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace typewarp::gpu {

/// Between the items of a plan, in device memory, and packed bytes.
struct PackedTransfer {
  const Plan& plan;
  std::int64_t count;
  bool packs;                              ///< else it unpacks
  MemoryKind packed = MemoryKind::device;  ///< where the packed bytes lie: device, or pinned
};

/// One of the methods that copy() knows, in its order of preference.
struct Considered {
  Method method;
  std::string rule;   ///< when it is taken
  std::string needs;  ///< what it cannot do without
  bool can = false;   ///< whether it moves this, within the blocks that hints allow
  bool suits = false;
};

/// How copy() would make the move, with the hints of the plan and of the environment. It asks the same
/// functions. Both sides are taken to be aligned as an allocation is, and the move not to be recorded into a
/// graph nor captured. Of the first launch, where there are several.
struct Decision {
  std::vector<Considered> methods;  ///< all; without hints the first one that suits is taken
  Method chosen = Method::automatic;
  std::vector<std::string> remarks;  ///< the effect of each hint
  std::string_view lookup;    ///< how a byte finds its place: "none", "list", "rank", "search", "generic"
  int levels = 0;             ///< of nested repetition; 0 where the lookup is generic
  int word = 1;               ///< bytes of the widest words that both sides allow
  double run = 0;             ///< bytes that lie together, on average
  double spread = 0;          ///< bytes that the layout spans for each that it holds
  std::int64_t launches = 0;  ///< of kernels; 1 of copies by DMA
  bool few_blocks = false;    ///< whether fewer thread blocks at a time go through the layout
};

/// Needs no device, and is the same in a build without any. The move must not be empty.
Decision decision(const PackedTransfer& transfer);

}  // namespace typewarp::gpu
