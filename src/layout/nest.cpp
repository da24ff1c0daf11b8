// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "layout/nest.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>

namespace typewarp::layout {

NestBounds bounds(const Nest& nest, std::size_t level) {
  NestBounds result =
      nest.leaf == nullptr ? NestBounds{0, nest.run} : NestBounds{nest.leaf->true_lb, nest.leaf->true_ub};
  for (std::size_t i = level; i < nest.levels.size(); ++i) {
    result.end += (nest.levels[i].count - 1) * nest.levels[i].stride;
  }
  return result;
}

Nest nest_of(const layout::Node& node) {
  Nest nest;
  const layout::Node* inner = &node;
  while (const auto* repeat = std::get_if<layout::Repeat>(&inner->shape)) {
    if (repeat->stride < 0) nest.offset += (repeat->count - 1) * repeat->stride;
    if (repeat->stride != 0) nest.levels.push_back({repeat->count, std::abs(repeat->stride)});
    inner = repeat->child.get();
  }
  std::ranges::sort(nest.levels, std::greater<>(), &Nest::Level::stride);
  const auto* run = std::get_if<layout::Run>(&inner->shape);
  if (run == nullptr) {
    nest.leaf = inner;
    return nest;
  }
  nest.run = run->bytes;
  while (!nest.levels.empty() && nest.levels.back().stride <= nest.run) {
    nest.run += (nest.levels.back().count - 1) * nest.levels.back().stride;
    nest.levels.pop_back();
  }
  return nest;
}

bool apart(const Nest& nest) {
  for (std::size_t i = 0; i < nest.levels.size(); ++i) {
    const NestBounds inner = bounds(nest, i + 1);
    if (nest.levels[i].stride < inner.end - inner.begin) return false;
  }
  return true;
}

}  // namespace typewarp::layout
