// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "footprint.hpp"

#include <typewarp/layout.hpp>

#include <algorithm>

namespace typewarp::bench {
namespace {

constexpr std::int64_t segment = 64;

/// The runs of a layout, as the segments that they touch.
class Segments {
 public:
  void visit(const layout::Node& node, std::int64_t at) {
    std::visit([&](const auto& shape) { add(shape, at); }, node.shape);
  }

  std::int64_t count() {
    std::sort(segments_.begin(), segments_.end());
    return std::unique(segments_.begin(), segments_.end()) - segments_.begin();
  }

 private:
  void add(const layout::Run& run, std::int64_t at) {
    for (std::int64_t s = at / segment; s * segment < at + run.bytes; ++s) {
      if (segments_.empty() || segments_.back() != s) segments_.push_back(s);
    }
  }
  void add(const layout::Repeat& repeat, std::int64_t at) {
    for (std::int64_t i = 0; i < repeat.count; ++i) visit(*repeat.child, at + i * repeat.stride);
  }
  void add(const layout::Blocks& blocks, std::int64_t at) {
    for (std::size_t i = 0; i < blocks.displacements.size(); ++i) {
      const std::int64_t copies = blocks.counts.empty() ? 1 : blocks.counts[i];
      for (std::int64_t j = 0; j < copies; ++j) {
        visit(*blocks.child, at + blocks.displacements[i] + j * blocks.stride);
      }
    }
  }
  void add(const layout::Sequence& sequence, std::int64_t at) {
    for (std::size_t i = 0; i < sequence.members.size(); ++i) {
      visit(*sequence.members[i], at + sequence.displacements[i]);
    }
  }

  std::vector<std::int64_t> segments_;
};

}  // namespace

std::int64_t touched_bytes(const Message& message) {
  const Layout layout = normalise(message.type, message.count);
  Segments segments;
  segments.visit(*layout.root,
                 static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(message.buffer)) + layout.offset);
  return segments.count() * segment;
}

}  // namespace typewarp::bench
