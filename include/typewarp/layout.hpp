// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <variant>

/// The canonical form: what a datatype's memory looks like, in the order of its type map, whatever
/// constructors spelled it. Only bytes are left, no elements.
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
/// At least two irregular blocks: block i is `counts[i]` children (1 where `counts` is empty), its copy j
/// at displacements[i] + j * stride bytes. Blocks of bytes of varying length are counts over Run{1},
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

/// The first byte, in type-map order, lies at offset 0 of its node: so every first displacement is 0.
/// A node may stand in several places: what a type uses again and again is one node, however large the type
/// becomes when written out. Each node holds at least twice the bytes of any of its children, but for a
/// sequence, whose members are none or are used more than once: so nodes nest about as deep as a size has
/// bits.
struct Node {
  std::variant<Run, Repeat, Blocks, Sequence> shape;
  std::int64_t size;              ///< bytes of data
  std::int64_t true_lb, true_ub;  ///< relative to the node's first byte
};

bool operator==(const Node&, const Node&);
}  // namespace layout

/// `offset` bytes from the user's address lies the first byte of the type map; `root` is never null.
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

/// The canonical layout of `count` items of `datatype`, `extent()` bytes apart.
/// Rewrites merge what is adjacent, fold what repeats and drop counts of one; they never reorder. Different
/// spellings of one regular layout, and of one irregular list of equal or of contiguous blocks, give one
/// form. Two things keep the form that they were spelled in: a run that ends one repetition where the next
/// one begins (merging them would make the layout irregular), and unequal repetitions with different strides.
/// Throws InvalidArgument for a null datatype, a negative count, or bytes beyond 64 bits.
Layout normalise(const Datatype& datatype, std::int64_t count = 1);

/// The same rules applied to a layout: a fixed point, normalise(normalise(x)) == normalise(x).
Layout normalise(const Layout& layout);

/// The layout of `count` layouts, `extent` bytes apart.
Layout repeat(const Layout& layout, std::int64_t count, std::int64_t extent);

}  // namespace typewarp
