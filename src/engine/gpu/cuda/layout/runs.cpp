// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/cuda/layout/runs.hpp"

#include "layout/node.hpp"
#include "plan/locate.hpp"

#include <algorithm>
#include <utility>

namespace typewarp::gpu {

bool lists_runs(const plan::Encoding& encoding, std::size_t index) {
  const plan::Node& node = encoding.nodes[index];
  return node.kind == plan::Kind::varying && node.stride == node.child_size &&
         encoding.nodes[index + 1].kind == plan::Kind::run;
}

plan::Encoding flattened(const plan::Encoding& encoding, std::size_t index) {
  layout::Blocks runs{{}, {}, 1, layout::run(1)};
  const std::int64_t size = encoding.nodes[index].size;
  for (std::int64_t packed = 0; packed < size;) {
    const plan::Location found = plan::locate(encoding.view(), 0, packed);
    const std::int64_t bytes = std::min(found.run, size - packed);
    if (!runs.counts.empty() && found.offset == runs.displacements.back() + runs.counts.back()) {
      runs.counts.back() += bytes;
    } else {
      runs.displacements.push_back(found.offset);
      runs.counts.push_back(bytes);
    }
    packed += bytes;
  }
  return plan::encode(*layout::blocks(std::move(runs)));
}

}  // namespace typewarp::gpu
