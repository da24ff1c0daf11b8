// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "places.hpp"

namespace typewarp::bench {
namespace {

/// The sums of all numbers before each.
std::vector<std::int64_t> begins_of(const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> begins(sizes.size());
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    begins[i] = sum;
    sum += sizes[i];
  }
  return begins;
}

}  // namespace

Places::Places(const Layout& layout) : offset(layout.offset) { append(*layout.root); }

std::int64_t Places::append_list(const std::vector<std::int64_t>& list) {
  const auto begin = static_cast<std::int64_t>(lists.size());
  lists.insert(lists.end(), list.begin(), list.end());
  return begin;
}

std::int64_t Places::append(const layout::Node& node) {
  const std::size_t index = nodes.size();
  nodes.emplace_back();
  PlacesNode result;
  const auto set_child = [&](const layout::Node& child, std::int64_t stride) {
    result.size = child.size;
    result.stride = stride;
    result.child = append(child);
  };
  if (const auto* repeat = std::get_if<layout::Repeat>(&node.shape)) {
    result.entries = 1;
    set_child(*repeat->child, repeat->stride);
  } else if (const auto* blocks = std::get_if<layout::Blocks>(&node.shape)) {
    result.entries = static_cast<std::int64_t>(blocks->displacements.size());
    result.displacements = append_list(blocks->displacements);
    if (!blocks->counts.empty()) {
      std::vector<std::int64_t> sizes = blocks->counts;
      for (std::int64_t& size : sizes) size *= blocks->child->size;
      result.begins = append_list(begins_of(sizes));
    }
    set_child(*blocks->child, blocks->stride);
  } else if (const auto* sequence = std::get_if<layout::Sequence>(&node.shape)) {
    result.entries = static_cast<std::int64_t>(sequence->members.size());
    result.displacements = append_list(sequence->displacements);
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> members;
    for (const layout::NodePtr& member : sequence->members) {
      sizes.push_back(member->size);
      members.push_back(append(*member));
    }
    result.begins = append_list(begins_of(sizes));
    result.children = append_list(members);
  }
  nodes[index] = result;
  return static_cast<std::int64_t>(index);
}

}  // namespace typewarp::bench
