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
struct Transfer {
  const Plan& plan;
  std::int64_t count;
  bool packs;                              ///< else it unpacks
  MemoryKind packed = MemoryKind::device;  ///< where the packed bytes lie: device, or pinned
};

/// One of the ways that copy() knows, in its order of preference.
struct Method {
  std::string name;    ///< "DMA rows", "words", ...
  std::string rule;    ///< when it is taken
  bool suits = false;  ///< whether it takes this move; copy() asks no further then
};

/// How copy() would make the move, by the functions that it calls itself. Both sides are taken to be aligned
/// as an allocation is, and the move not to be recorded into a graph. Of the first launch, where there are
/// several.
struct Decision {
  std::vector<Method> methods;  ///< in order; the last one that is listed and suits is taken
  std::string chosen;
  std::string_view lookup;    ///< how a byte finds its place: "none", "list", "rank", "search", "generic"
  int levels = 0;             ///< of nested repetition; 0 where the lookup is generic
  int word = 1;               ///< bytes of the widest words that both sides allow
  double run = 0;             ///< bytes that lie together, on average
  double spread = 0;          ///< bytes that the layout spans for each that it holds
  std::int64_t launches = 0;  ///< of kernels, or copies by DMA
  bool few_blocks = false;    ///< whether fewer thread blocks at a time go through the layout
};

/// Needs no device, and is the same in a build without any. The move must not be empty.
Decision decision(const Transfer& transfer);

}  // namespace typewarp::gpu
