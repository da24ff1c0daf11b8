// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/encoding.hpp"

#include "layout/node.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

namespace typewarp::plan {
namespace {

constexpr std::int64_t max_grain = 16;
constexpr std::int64_t list_alignment = 8;
/// Lists of so many blocks have an index ...
constexpr std::int64_t indexed_from = 64;
/// ... with at most one entry for so many blocks, on average: a power of two of bytes makes that 8 to 16.
constexpr std::int64_t blocks_per_index_entry = 8;
/// So many entries fewer make up for the prefix sum after the last block and for the alignment of the lists.
constexpr std::int64_t spare_index_entries = 2;

/// The least shift that keeps the index of a list within its bounds.
std::int32_t coarse_shift(std::int64_t size, std::int64_t count) {
  if (count < indexed_from) return 0;
  const std::int64_t entries = count / blocks_per_index_entry - spare_index_entries;
  // The last entry stands past the end: ((size - 1) >> shift) + 2 <= entries.
  return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint64_t>((size - 1) / (entries - 1))));
}

std::int64_t index_entries(const EncodedNode& node) { return ((node.size - 1) >> node.index.shift) + 2; }

bool fits_32_bits(std::int64_t value) { return value == static_cast<std::int32_t>(value); }

/// The bytes of an entry that holds every displacement, and every position in the packed stream.
std::int32_t entry_width(const layout::Node& node, const std::vector<std::int64_t>& displacements) {
  if (!fits_32_bits(node.size)) return 8;
  // The first byte of each child lies inside the bounds.
  if (fits_32_bits(node.true_lb) && fits_32_bits(node.true_ub)) return 4;
  return std::ranges::all_of(displacements, fits_32_bits) ? 4 : 8;
}

/// What is at most so long is written out as a tree, which everything can walk, ...
constexpr std::int64_t shared_from = 4096;
/// ... and so is what sharing does not make so many times shorter.
constexpr std::int64_t shared_times = 16;

/// Nodes and entries of lists, each once, where they are fewer than `most`.
std::int64_t distinct_entries(const layout::Node& root, std::int64_t most) {
  std::unordered_set<const layout::Node*> seen;
  std::vector<const layout::Node*> waiting{&root};
  std::int64_t entries = 0;
  const auto visit = [&](const auto& shape) {
    using Shape = std::decay_t<decltype(shape)>;
    ++entries;
    if constexpr (std::is_same_v<Shape, layout::Sequence>) {
      entries += std::ssize(shape.members);
      for (const layout::NodePtr& member : shape.members) {
        if (!std::holds_alternative<layout::Run>(member->shape)) waiting.push_back(member.get());
      }
    } else if constexpr (!std::is_same_v<Shape, layout::Run>) {
      if constexpr (std::is_same_v<Shape, layout::Blocks>) entries += std::ssize(shape.displacements);
      waiting.push_back(shape.child.get());
    }
  };
  while (!waiting.empty() && entries < most) {
    const layout::Node* const node = waiting.back();
    waiting.pop_back();
    if (seen.insert(node).second) std::visit(visit, node->shape);
  }
  return entries;
}

bool is_shared(const layout::Node& root) {
  const std::int64_t written_out = layout::entries(root);
  const std::int64_t few = written_out / shared_times;
  return written_out > shared_from && distinct_entries(root, few) < few;
}

class Encoder {
 public:
  Encoding encode(const layout::Node& root) {
    encoding_.shared = is_shared(root);
    append(root);
    if (root.size > 0) encoding_.nodes.front().by_size = Divider<std::uint64_t>(root.size);
    const std::int64_t lowest_bit = divisors_ & -divisors_;
    encoding_.grain = lowest_bit == 0 || lowest_bit > max_grain ? max_grain : lowest_bit;
    return std::move(encoding_);
  }

 private:
  // Appends `node` and everything below it in preorder; returns its index.
  std::size_t append(const layout::Node& node) {
    const std::size_t at = encoding_.nodes.size();
    EncodedNode flat{};
    flat.size = node.size;
    flat.width = 8;
    encoding_.nodes.push_back(flat);
    std::visit([&](const auto& shape) { fill(at, node, shape); }, node.shape);
    return at;
  }

  void fill(std::size_t at, const layout::Node&, const layout::Run& run) {
    encoding_.nodes[at].kind = Kind::run;
    divide(run.bytes);
  }

  void fill(std::size_t at, const layout::Node&, const layout::Repeat& repeat) {
    EncodedNode& node = encoding_.nodes[at];
    node.kind = Kind::repeat;
    node.count = repeat.count;
    node.stride = repeat.stride;
    set_child_size(node, repeat.child->size);
    divide(repeat.stride);
    append(*repeat.child);
  }

  void fill(std::size_t at, const layout::Node& source, const layout::Blocks& blocks) {
    EncodedNode& node = encoding_.nodes[at];
    node.kind = blocks.counts.empty() ? Kind::blocks : Kind::varying;
    set_child_size(node, blocks.child->size);
    store(node, source, blocks.displacements,
          [&blocks](std::size_t i) { return blocks.counts[i] * blocks.child->size; });
    if (node.kind == Kind::blocks) {
      append(*blocks.child);
      return;
    }
    node.stride = blocks.stride;
    const auto* run = std::get_if<layout::Run>(&blocks.child->shape);
    if (run == nullptr || run->bytes != blocks.stride) {
      divide(blocks.stride);
      append(*blocks.child);
      return;
    }
    // A list of bytes of varying length is only as finely grained as its lengths.
    const std::int64_t divisors = divisors_;
    append(*blocks.child);
    divisors_ = divisors;
  }

  void fill(std::size_t at, const layout::Node& source, const layout::Sequence& sequence) {
    EncodedNode& node = encoding_.nodes[at];
    node.kind = Kind::sequence;
    store(node, source, sequence.displacements,
          [&sequence](std::size_t i) { return sequence.members[i]->size; });
    const std::int64_t members = node.members;
    for (std::size_t i = 0; i < sequence.members.size(); ++i) {
      const auto member = static_cast<std::int32_t>(append_member(*sequence.members[i]));
      list<std::int32_t>(members)[i] = member;
    }
  }

  std::size_t append_member(const layout::Node& node) {
    if (!encoding_.shared) return append(node);
    if (const auto known = members_.find(&node); known != members_.end()) return known->second;
    const std::size_t at = append(node);
    members_.emplace(&node, at);
    return at;
  }

  static void set_child_size(EncodedNode& node, std::int64_t size) {
    node.child_size = size;
    node.by_child_size = Divider<std::uint64_t>(size);
  }

  // Gives `node` its lists and writes them, all but the members; size_of(i) is the packed bytes of block i.
  template <typename SizeOf>
  void store(EncodedNode& node, const layout::Node& source, const std::vector<std::int64_t>& displacements,
             SizeOf size_of) {
    node.count = std::ssize(displacements);
    node.width = entry_width(source, displacements);
    node.displacements = place(node.count, node.width);
    if (node.kind != Kind::blocks) {
      node.index.shift = coarse_shift(node.size, node.count);
      node.prefix = place(node.count + 1, node.width);
      if (node.index.shift > 0) node.index.entries = place(index_entries(node), node.width);
    }
    if (node.kind == Kind::sequence) node.members = place(node.count, sizeof(std::int32_t));
    encoding_.lookaside.resize(static_cast<std::size_t>(end_));
    if (node.width == 4) {
      write<std::int32_t>(node, displacements, size_of);
    } else {
      write<std::int64_t>(node, displacements, size_of);
    }
  }

  // Where a list of `entries` of `width` bytes begins.
  std::int64_t place(std::int64_t entries, std::int32_t width) {
    const std::int64_t begin = (end_ + list_alignment - 1) / list_alignment * list_alignment;
    end_ = begin + entries * width;
    return begin;
  }

  template <typename Entry>
  Entry* list(std::int64_t begin) {
    return reinterpret_cast<Entry*>(encoding_.lookaside.data() + begin);
  }

  template <typename Entry, typename SizeOf>
  void write(const EncodedNode& node, const std::vector<std::int64_t>& displacements, SizeOf size_of) {
    std::int64_t divisors = 0;
    Entry* const out = list<Entry>(node.displacements);
    for (std::size_t i = 0; i < displacements.size(); ++i) {
      divisors |= displacements[i];
      out[i] = static_cast<Entry>(displacements[i]);
    }
    if (node.kind != Kind::blocks) {
      Entry* const prefix = list<Entry>(node.prefix);
      std::int64_t packed = 0;
      for (std::size_t i = 0; i < displacements.size(); ++i) {
        prefix[i] = static_cast<Entry>(packed);
        packed += size_of(i);
        divisors |= packed;
      }
      prefix[displacements.size()] = static_cast<Entry>(packed);
    }
    if (node.index.shift > 0) write_index<Entry>(node);
    divide(divisors);
  }

  // The block of entry g is the last one that begins at byte g << shift or before: each block takes the first
  // entry that it can, unless a later one does, and entries that no block took hold what stands before them.
  template <typename Entry>
  void write_index(const EncodedNode& node) {
    const Entry* const prefix = list<Entry>(node.prefix);
    Entry* const index = list<Entry>(node.index.entries);
    const std::int64_t entries = index_entries(node);
    std::fill_n(index, entries, Entry{0});
    const std::int64_t last_byte = (std::int64_t{1} << node.index.shift) - 1;
    for (std::int64_t i = 0; i < node.count; ++i) {
      index[(prefix[i] + last_byte) >> node.index.shift] = static_cast<Entry>(i);
    }
    for (std::int64_t g = 1; g < entries; ++g) index[g] = std::max(index[g], index[g - 1]);
  }

  // The grain divides every quantity seen: its lowest set bit is that of their union.
  void divide(std::int64_t quantity) { divisors_ |= quantity; }

  Encoding encoding_;
  std::unordered_map<const layout::Node*, std::size_t> members_;  ///< where they are, if they are shared
  std::int64_t end_ = 0;  ///< of the last list in the lookaside buffer
  std::int64_t divisors_ = 0;
};

}  // namespace

Encoding encode(const layout::Node& root) { return Encoder().encode(root); }

}  // namespace typewarp::plan
