// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/layout/runs.hpp"

#include <algorithm>

namespace typewarp::gpu {

double average_run(const plan::Node& list) {
  return static_cast<double>(list.size) / static_cast<double>(list.count);
}

double shortest_run(const plan::Encoding& encoding) {
  double shortest = static_cast<double>(encoding.nodes[0].size);
  for (std::size_t i = 0; i < encoding.nodes.size(); ++i) {
    const plan::Node& node = encoding.nodes[i];
    if (lists_runs(encoding, i)) {
      shortest = std::min(shortest, average_run(node));
      ++i;  // the byte that such a list counts
    } else if (node.kind == plan::Kind::run) {
      shortest = std::min(shortest, static_cast<double>(node.size));
    }
  }
  return shortest;
}

double average_run(const plan::Encoding& encoding, const Shape& shape) {
  double run = 1;
  if (shape.lookup == Lookup::generic) return shortest_run(encoding);
  if (shape.lookup == Lookup::rank || shape.lookup == Lookup::search) {
    with_runs(encoding, shape.node,
              [&](const plan::Node& list, const plan::Encoding&) { run = average_run(list); });
  }
  return run;
}

}  // namespace typewarp::gpu
