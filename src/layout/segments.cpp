// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/layout.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>
#include <numeric>

namespace typewarp {
namespace {

// Repetitions inside of one another, as a set of bytes: order does not matter to it.

/// Levels of positive strides, largest stride outermost, around a run (leaf null) or any other node.
struct Nest {
  struct Level {
    std::int64_t count, stride;
  };
  std::int64_t offset = 0;  ///< of the first byte of the lowest copy's leaf
  std::vector<Level> levels;
  std::int64_t run = 0;
  const layout::Node* leaf = nullptr;
};

/// Of the bytes of the levels from `level` inwards, relative to their first copy's start.
struct NestBounds {
  std::int64_t begin, end;
};

NestBounds bounds(const Nest& nest, std::size_t level) {
  NestBounds result =
      nest.leaf == nullptr ? NestBounds{0, nest.run} : NestBounds{nest.leaf->true_lb, nest.leaf->true_ub};
  for (std::size_t i = level; i < nest.levels.size(); ++i) {
    result.end += (nest.levels[i].count - 1) * nest.levels[i].stride;
  }
  return result;
}

/// The nest whose outermost level is `node`, a Repeat of at least one byte. Copies of a run that touch or
/// overlap become one run.
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

/// Whether on every level each copy ends before the next begins.
bool apart(const Nest& nest) {
  for (std::size_t i = 0; i < nest.levels.size(); ++i) {
    const NestBounds inner = bounds(nest, i + 1);
    if (nest.levels[i].stride < inner.end - inner.begin) return false;
  }
  return true;
}

std::int64_t segment_of(std::int64_t byte) {
  static_assert(std::has_single_bit(static_cast<std::uint64_t>(segment_bytes)));
  return byte >> std::countr_zero(static_cast<std::uint64_t>(segment_bytes));
}

std::int64_t segments_of_run(std::int64_t at, std::int64_t bytes) {
  return segment_of(at + bytes - 1) - segment_of(at) + 1;
}

/// One bit a segment between the first and the last byte of a node.
class Bitmap {
 public:
  Bitmap(std::int64_t first_byte, std::int64_t end_byte)
      : first_(segment_of(first_byte)),
        words_(static_cast<std::size_t>((segment_of(end_byte - 1) - first_) / bits + 1)) {}

  void mark(const layout::Node& node, std::int64_t at) {
    std::visit([&](const auto& shape) { mark_shape(node, shape, at); }, node.shape);
  }

  std::int64_t count() const {
    return std::transform_reduce(words_.begin(), words_.end(), std::int64_t{0}, std::plus<>(),
                                 [](std::uint64_t word) { return std::int64_t{std::popcount(word)}; });
  }

 private:
  static constexpr std::int64_t bits = 64;
  static constexpr std::uint64_t all = ~std::uint64_t{0};

  void mark_run(std::int64_t at, std::int64_t bytes) {
    const std::int64_t first = segment_of(at) - first_;
    const std::int64_t last = segment_of(at + bytes - 1) - first_;
    const std::uint64_t head = all << (first % bits);
    const std::uint64_t tail = all >> (bits - 1 - last % bits);
    const auto begin = static_cast<std::size_t>(first / bits);
    const auto end = static_cast<std::size_t>(last / bits);
    if (begin == end) {
      words_[begin] |= head & tail;
      return;
    }
    words_[begin] |= head;
    std::fill(words_.begin() + static_cast<std::ptrdiff_t>(begin) + 1,
              words_.begin() + static_cast<std::ptrdiff_t>(end), all);
    words_[end] |= tail;
  }

  void mark_levels(const Nest& nest, std::size_t level, std::int64_t at) {
    if (level == nest.levels.size()) {
      nest.leaf == nullptr ? mark_run(at, nest.run) : mark(*nest.leaf, at);
      return;
    }
    const Nest::Level& repeat = nest.levels[level];
    for (std::int64_t i = 0; i < repeat.count; ++i) mark_levels(nest, level + 1, at + i * repeat.stride);
  }

  void mark_shape(const layout::Node&, const layout::Run& run, std::int64_t at) {
    if (run.bytes > 0) mark_run(at, run.bytes);
  }
  void mark_shape(const layout::Node& node, const layout::Repeat&, std::int64_t at) {
    const Nest nest = nest_of(node);
    mark_levels(nest, 0, at + nest.offset);
  }
  void mark_shape(const layout::Node&, const layout::Blocks& blocks, std::int64_t at) {
    const auto* run = std::get_if<layout::Run>(&blocks.child->shape);
    const bool gapless = run != nullptr && (run->bytes == blocks.stride || blocks.counts.empty());
    for (std::size_t i = 0; i < blocks.displacements.size(); ++i) {
      const std::int64_t copies = blocks.counts.empty() ? 1 : blocks.counts[i];
      const std::int64_t begin = at + blocks.displacements[i];
      if (gapless) {
        if (copies > 0) mark_run(begin, copies * run->bytes);
        continue;
      }
      for (std::int64_t j = 0; j < copies; ++j) mark(*blocks.child, begin + j * blocks.stride);
    }
  }
  void mark_shape(const layout::Node&, const layout::Sequence& sequence, std::int64_t at) {
    for (std::size_t i = 0; i < sequence.members.size(); ++i) {
      mark(*sequence.members[i], at + sequence.displacements[i]);
    }
  }

  std::int64_t first_;
  std::vector<std::uint64_t> words_;
};

std::int64_t count_node(const layout::Node& node, std::int64_t at);

std::int64_t count_by_bitmap(const layout::Node& node, std::int64_t at) {
  Bitmap bitmap(at + node.true_lb, at + node.true_ub);
  bitmap.mark(node, at);
  return bitmap.count();
}

/// Levels `level` and inwards, of which no two copies interlock: the count of a copy, and whether it shares a
/// segment with the next, depend only on where in a segment it starts, which repeats after a few copies.
std::int64_t count_levels(const Nest& nest, std::size_t level, std::int64_t at) {
  if (level == nest.levels.size()) {
    return nest.leaf == nullptr ? segments_of_run(at, nest.run) : count_node(*nest.leaf, at);
  }
  const auto [count, stride] = nest.levels[level];
  const NestBounds inner = bounds(nest, level + 1);
  const std::int64_t period = segment_bytes / std::gcd(stride, segment_bytes);
  std::int64_t total = 0;
  for (std::int64_t i = 0; i < std::min(period, count); ++i) {
    const std::int64_t here = at + i * stride;
    const std::int64_t alike = (count - i + period - 1) / period;
    const std::int64_t followed = (count - 1 - i + period - 1) / period;
    const bool shared = segment_of(here + inner.end - 1) == segment_of(here + stride + inner.begin);
    total += alike * count_levels(nest, level + 1, here) - (shared ? followed : 0);
  }
  return total;
}

std::int64_t count_node(const layout::Node& node, std::int64_t at) {
  if (node.size == 0) return 0;
  if (const auto* run = std::get_if<layout::Run>(&node.shape)) return segments_of_run(at, run->bytes);
  if (!std::holds_alternative<layout::Repeat>(node.shape)) return count_by_bitmap(node, at);
  const Nest nest = nest_of(node);
  return apart(nest) ? count_levels(nest, 0, at + nest.offset) : count_by_bitmap(node, at);
}

}  // namespace

std::int64_t touched_segments(const Layout& layout, std::int64_t address) {
  return count_node(*layout.root, address + layout.offset);
}

}  // namespace typewarp
