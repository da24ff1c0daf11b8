// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <variant>

/// What a Datatype points to: one constructor with its arguments, and the attributes computed once from
/// its children. Arguments are as the caller gave them, so that the tree prints and compares as written.
namespace typewarp::datatype {

struct Contiguous {
  std::int64_t count;
  Datatype child;
};
struct Vector {
  std::int64_t count, blocklength, stride;
  Datatype child;
};
struct Hvector {
  std::int64_t count, blocklength, stride;
  Datatype child;
};
struct Indexed {
  std::vector<std::int64_t> blocklengths, displacements;
  Datatype child;
};
struct Hindexed {
  std::vector<std::int64_t> blocklengths, displacements;
  Datatype child;
};
struct IndexedBlock {
  std::int64_t blocklength;
  std::vector<std::int64_t> displacements;
  Datatype child;
};
struct HindexedBlock {
  std::int64_t blocklength;
  std::vector<std::int64_t> displacements;
  Datatype child;
};
struct Struct {
  std::vector<std::int64_t> blocklengths, displacements;
  std::vector<Datatype> children;
};
struct Subarray {
  std::vector<std::int64_t> sizes, subsizes, starts;
  Order order;
  Datatype child;
};
struct Darray {
  std::int64_t size, rank;
  std::vector<std::int64_t> global_sizes;
  std::vector<Distribution> distributions;
  std::vector<std::int64_t> distribution_arguments, process_sizes;
  Order order;
  Datatype child;
  /// The same bytes in the same order, spelled with the other constructors.
  Datatype expansion;
};
struct Resized {
  std::int64_t lb, extent;
  Datatype child;
};
struct Dup {
  Datatype child;
};

using Constructor = std::variant<Named, Contiguous, Vector, Hvector, Indexed, Hindexed, IndexedBlock,
                                 HindexedBlock, Struct, Subarray, Darray, Resized, Dup>;

/// Calls `visit` for each datatype that a constructor is built upon, in order.
template <typename Visit>
void for_each_child(const Constructor& constructor, const Visit& visit) {
  std::visit(
      [&visit](const auto& made) {
        if constexpr (requires { made.children; }) {
          for (const Datatype& child : made.children) visit(child);
        } else if constexpr (requires { made.child; }) {
          visit(made.child);
        }
      },
      constructor);
}

struct Attributes {
  std::int64_t size = 0;
  std::int64_t lb = 0, ub = 0;
  std::int64_t true_lb = 0, true_ub = 0;
  std::int64_t elements = 0;
  std::int64_t alignment = 1;
  Signature signature;
  /// One item is one ascending gapless run of `size` bytes from true_lb.
  bool dense = true;
  /// lb and ub were set by resized, subarray or darray (MPI's lb_marker and ub_marker): wherever this type is
  /// built upon, they take precedence over the bounds of other data, and no alignment padding is added.
  bool explicit_bounds = false;
};

/// Constructors above a named type. Nothing recurses over them, so that they need no stack.
inline constexpr int max_depth = 1000;

struct Node {
  Node(Constructor made, const Attributes& of_it, int levels)
      : constructor(std::move(made)), attributes(of_it), depth(levels) {}
  Node& operator=(Node&&) = delete;
  ~Node();

  Constructor constructor;
  Attributes attributes;
  int depth;  ///< 0 for a named type
};

/// What only the library does with a Datatype.
struct Internal {
  static Datatype make(std::shared_ptr<const Node> node) noexcept { return Datatype(std::move(node)); }
  static const Node* node(const Datatype& type) noexcept { return type.node_.get(); }
};

/// Throws InvalidArgument for the null datatype.
const Node& node_of(const Datatype& type);

}  // namespace typewarp::datatype
