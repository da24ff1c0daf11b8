// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/encoding.hpp"

#include <cstring>
#include <limits>

namespace typewarp::plan {
namespace {

constexpr std::int64_t max_grain = 16;
constexpr std::size_t list_alignment = 8;

class Encoder {
 public:
  Encoding encode(const layout::Node& root) {
    append(root);
    const std::int64_t lowest_bit = divisors_ & -divisors_;
    encoding_.grain = lowest_bit == 0 || lowest_bit > max_grain ? max_grain : lowest_bit;
    return std::move(encoding_);
  }

 private:
  // Appends `node` and everything below it in preorder; returns its index.
  std::size_t append(const layout::Node& node) {
    const std::size_t index = encoding_.nodes.size();
    encoding_.nodes.push_back({.size = node.size,
                               .count = 0,
                               .stride = 0,
                               .child_size = 0,
                               .displacements = 0,
                               .prefix = 0,
                               .members = 0,
                               .kind = Kind::run,
                               .width = 8});
    std::visit([this, index](const auto& shape) { fill(index, shape); }, node.shape);
    return index;
  }

  void fill(std::size_t, const layout::Run& run) { divide(run.bytes); }

  void fill(std::size_t index, const layout::Repeat& repeat) {
    Node& node = encoding_.nodes[index];
    node.kind = Kind::repeat;
    node.count = repeat.count;
    node.stride = repeat.stride;
    node.child_size = repeat.child->size;
    divide(repeat.stride);
    append(*repeat.child);
  }

  void fill(std::size_t index, const layout::Blocks& blocks) {
    Node node = encoding_.nodes[index];
    node.kind = blocks.counts.empty() ? Kind::blocks : Kind::varying;
    node.count = static_cast<std::int64_t>(blocks.displacements.size());
    node.child_size = blocks.child->size;
    node.width = width(blocks.displacements, node.size);
    node.displacements = store(blocks.displacements, node.width);
    for (const std::int64_t displacement : blocks.displacements) divide(displacement);
    if (node.kind == Kind::varying) {
      node.stride = blocks.stride;
      node.prefix = store(prefix_sums(blocks), node.width);
    }
    encoding_.nodes[index] = node;
    // A list of bytes of varying length is only as finely grained as its lengths.
    const auto* run = std::get_if<layout::Run>(&blocks.child->shape);
    if (node.kind == Kind::varying && run != nullptr && run->bytes == blocks.stride) {
      for (const std::int64_t count : blocks.counts) divide(count * run->bytes);
      const std::int64_t divisors = divisors_;
      append(*blocks.child);
      divisors_ = divisors;
    } else {
      if (node.kind == Kind::varying) divide(blocks.stride);
      append(*blocks.child);
    }
  }

  void fill(std::size_t index, const layout::Sequence& sequence) {
    Node node = encoding_.nodes[index];
    node.kind = Kind::sequence;
    node.count = static_cast<std::int64_t>(sequence.members.size());
    node.width = width(sequence.displacements, node.size);
    node.displacements = store(sequence.displacements, node.width);
    for (const std::int64_t displacement : sequence.displacements) divide(displacement);
    std::vector<std::int64_t> prefix{0};
    for (const layout::NodePtr& member : sequence.members) prefix.push_back(prefix.back() + member->size);
    node.prefix = store(prefix, node.width);
    std::vector<std::int64_t> members;
    for (const layout::NodePtr& member : sequence.members) {
      members.push_back(static_cast<std::int64_t>(append(*member)));
    }
    node.members = store(members, 4);
    encoding_.nodes[index] = node;
  }

  static std::vector<std::int64_t> prefix_sums(const layout::Blocks& blocks) {
    std::vector<std::int64_t> prefix;
    prefix.reserve(blocks.counts.size() + 1);
    prefix.push_back(0);
    for (const std::int64_t count : blocks.counts)
      prefix.push_back(prefix.back() + count * blocks.child->size);
    return prefix;
  }

  static std::int32_t width(const std::vector<std::int64_t>& displacements, std::int64_t size) {
    constexpr std::int64_t low = std::numeric_limits<std::int32_t>::min();
    constexpr std::int64_t high = std::numeric_limits<std::int32_t>::max();
    if (size > high) return 8;
    for (const std::int64_t displacement : displacements) {
      if (displacement < low || displacement > high) return 8;
    }
    return 4;
  }

  // Appends the list to the lookaside in entries of `width` bytes; returns where it starts.
  std::int64_t store(const std::vector<std::int64_t>& list, std::int32_t width) {
    std::vector<std::byte>& out = encoding_.lookaside;
    const std::size_t begin = (out.size() + list_alignment - 1) / list_alignment * list_alignment;
    out.resize(begin + list.size() * static_cast<std::size_t>(width));
    if (width == 8) {
      std::memcpy(out.data() + begin, list.data(), list.size() * sizeof(std::int64_t));
    } else {
      auto* entries = reinterpret_cast<std::int32_t*>(out.data() + begin);
      for (std::size_t i = 0; i < list.size(); ++i) entries[i] = static_cast<std::int32_t>(list[i]);
    }
    return static_cast<std::int64_t>(begin);
  }

  // The grain divides every quantity seen: its lowest set bit is that of their union.
  void divide(std::int64_t quantity) { divisors_ |= quantity; }

  Encoding encoding_;
  std::int64_t divisors_ = 0;
};

}  // namespace

Encoding encode(const layout::Node& root) { return Encoder().encode(root); }

}  // namespace typewarp::plan
