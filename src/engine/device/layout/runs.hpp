// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/layout/lists.hpp"
#include "engine/device/layout/shape.hpp"

namespace typewarp::gpu {

/// Calls `use(node, encoding)` with node `index` as a list of runs: itself, or flattened.
template <typename Use>
void with_runs(const plan::Encoding& encoding, std::size_t index, const Use& use) {
  if (lists_runs(encoding, index)) return use(encoding.nodes[index], encoding);
  const plan::Encoding flat = flattened(encoding, index);
  use(flat.nodes[0], flat);
}

/// Bytes of a run of such a list, on average.
double average_run(const plan::Node& list);
/// Bytes of the shortest runs, on average over each list of them.
double shortest_run(const plan::Encoding& encoding);

/// Bytes of a run of an irregular item of this shape, on average; 1 of a regular one. Flattens what is to be
/// looked up by rank or search.
double average_run(const plan::Encoding& encoding, const Shape& shape);

}  // namespace typewarp::gpu
