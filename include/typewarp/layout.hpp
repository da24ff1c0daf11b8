// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <variant>

/// The canonical form: where a datatype's bytes are in memory, in the order of its type map, whatever
/// constructors made it. It has bytes only, no elements.
namespace typewarp {

namespace layout {
struct Node;
using NodePtr = std::shared_ptr<const Node>;

/// `bytes` consecutive bytes.
struct Run {
  std::int64_t bytes;
};
/// `count` >= 2 children, child i at i * stride bytes.
struct Repeat {
  std::int64_t count, stride;
  NodePtr child;
};
/// At least two irregular blocks: block i has `counts[i]` children (1 if `counts` is empty), of which child j
/// is at displacements[i] + j * stride bytes. Blocks of bytes of varying length are counts of Run{1}, with
/// stride 1.
struct Blocks {
  std::vector<std::int64_t> displacements, counts;
  std::int64_t stride;
  NodePtr child;
};
/// At least two members of different shape, member i at displacements[i] bytes.
struct Sequence {
  std::vector<std::int64_t> displacements;
  std::vector<NodePtr> members;
  std::int64_t runs = 0;     ///< pieces of consecutive bytes; the largest 64-bit value if there are more
  std::int64_t entries = 0;  ///< nodes and entries of lists, written out as a tree; likewise
};

/// The first byte, in type-map order, is at offset 0 of its node: so every first displacement is 0.
/// A node may be used in several places: what a type repeats is one node, however large the type would be
/// if written out. Each node has at least twice the bytes of any of its children. The exception is a
/// sequence, whose members are not sequences, or are used more than once. So nodes nest about as deep as a
/// size has bits.
struct Node {
  std::variant<Run, Repeat, Blocks, Sequence> shape;
  std::int64_t size;              ///< bytes of data
  std::int64_t true_lb, true_ub;  ///< relative to the node's first byte
};

bool operator==(const Node&, const Node&);
}  // namespace layout

/// The first byte of the type map is `offset` bytes from the user's address; `root` is never null.
struct Layout {
  std::int64_t offset = 0;
  layout::NodePtr root;

  /// The layout of nothing: Run{0}.
  Layout();
  /// Of its members.
  Layout(std::int64_t first, layout::NodePtr node);

  std::int64_t size() const;
  /// Nested text, for instance "repeat 16 x stride 512 of run 8".
  std::string to_string() const;
  friend bool operator==(const Layout&, const Layout&);
};

/// The canonical layout of `count` items of `datatype`, `extent()` bytes apart. Rewrites merge adjacent
/// parts, fold repetitions and drop counts of one; they never reorder. Different spellings of a regular
/// layout, or of an irregular list of equal or of contiguous blocks, have one form. Two things keep the form
/// in which they were written: a run that ends one repetition where the next one begins (merging them would
/// make the layout irregular), and unequal repetitions with different strides. Throws InvalidArgument for a
/// null datatype, a negative count, or bytes beyond 64 bits.
Layout normalise(const Datatype& datatype, std::int64_t count = 1);

/// The same rules applied to a layout: a fixed point, normalise(normalise(x)) == normalise(x).
Layout normalise(const Layout& layout);

/// The layout of `count` layouts, `extent` bytes apart.
Layout repeat(const Layout& layout, std::int64_t count, std::int64_t extent);

/// DRAM is read and written in segments of this many bytes.
inline constexpr std::int64_t segment_bytes = 64;

/// Segments that hold at least one byte of `layout`, each counted once, if the byte that the layout's offset
/// is relative to is at `address` (any number: only address modulo segment_bytes matters).
std::int64_t touched_segments(const Layout& layout, std::int64_t address);

}  // namespace typewarp
