// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/layout.hpp>

#include "datatype/named.hpp"
#include "datatype/node.hpp"
#include "layout/sequence.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

/// From MPI's constructors to the canonical layout: each constructor is a repetition or a list of its child's
/// layout.
namespace typewarp {
namespace {

using layout::make_blocks;
using layout::make_repeat;
using layout::make_sequence;

// The stride of a repetition; with one copy or none it is not looked at, and its product may exceed 64 bits.
std::int64_t scaled(std::int64_t count, std::int64_t stride, std::int64_t extent) {
  return count > 1 ? stride * extent : 0;
}

/// The layout of a constructor of one child, whose layout is known.
struct Around {
  const Layout& child;
  std::int64_t& spelled;  ///< constructors and entries of their lists, so far

  Layout operator()(const datatype::Contiguous& node) const {
    return make_repeat(child, node.count, node.child.extent());
  }

  Layout operator()(const datatype::Vector& node) const {
    const std::int64_t extent = node.child.extent();
    return make_repeat(make_repeat(child, node.blocklength, extent), node.count,
                       scaled(node.count, node.stride, extent));
  }

  Layout operator()(const datatype::Hvector& node) const {
    return make_repeat(make_repeat(child, node.blocklength, node.child.extent()), node.count, node.stride);
  }

  Layout operator()(const datatype::Indexed& node) const {
    const std::int64_t extent = node.child.extent();
    return listed({node.displacements, node.blocklengths, extent, extent, child.root}, child);
  }

  Layout operator()(const datatype::Hindexed& node) const {
    return listed({node.displacements, node.blocklengths, 1, node.child.extent(), child.root}, child);
  }

  Layout operator()(const datatype::IndexedBlock& node) const {
    const Layout block = make_repeat(child, node.blocklength, node.child.extent());
    return listed({node.displacements, {}, node.child.extent(), 0, block.root}, block);
  }

  Layout operator()(const datatype::HindexedBlock& node) const {
    const Layout block = make_repeat(child, node.blocklength, node.child.extent());
    return listed({node.displacements, {}, 1, 0, block.root}, block);
  }

  Layout operator()(const datatype::Subarray& node) const {
    Layout part = child;
    std::int64_t stride = node.child.extent();
    std::int64_t start = 0;
    const std::size_t dimensions = node.sizes.size();
    for (std::size_t i = 0; i < dimensions; ++i) {
      const std::size_t d = node.order == Order::c ? dimensions - 1 - i : i;
      part = make_repeat(part, node.subsizes[d], stride);
      start += node.starts[d] * stride;
      stride *= node.sizes[d];
    }
    part.offset += start;
    return part;
  }

  // Darray, whose child is its expansion; Resized and Dup.
  template <class Other>
  Layout operator()(const Other&) const {
    return child;
  }

  Layout listed(const layout::BlockList& list, const Layout& block) const {
    spelled += std::ssize(list.displacements);
    return make_blocks(list, block.offset);
  }
};

/// One normalisation. It does not recurse: trees are as deep as the user likes. What stands below a struct is
/// built once, wherever it is used: a tree of n shared levels would otherwise take 2^n steps.
class Builder {
 public:
  Layout build(const Datatype& type) {
    // From the root down to where there is more than one child, or none.
    std::vector<const datatype::Node*> path;
    const datatype::Node* node = &datatype::node_of(type);
    if (!trivial(*node)) path.reserve(static_cast<std::size_t>(node->depth));
    while (const Datatype* child = only_child(*node)) {
      path.push_back(node);
      node = &datatype::node_of(*child);
    }
    if (!finished(*node)) build_members(*node);
    Layout layout = layout_of(*node);
    while (!path.empty()) {
      layout = around(*path.back(), layout);
      path.pop_back();
    }
    return layout;
  }

 private:
  static bool trivial(const datatype::Node& node) {
    return node.attributes.size == 0 || node.attributes.dense ||
           std::holds_alternative<Named>(node.constructor);
  }

  // Null for what is trivial, and for structs.
  static const Datatype* only_child(const datatype::Node& node) {
    if (trivial(node)) return nullptr;
    return std::visit(
        [](const auto& made) -> const Datatype* {
          using Made = std::decay_t<decltype(made)>;
          if constexpr (std::is_same_v<Made, Named> || std::is_same_v<Made, datatype::Struct>) {
            return nullptr;
          } else if constexpr (std::is_same_v<Made, datatype::Darray>) {
            return &made.expansion;
          } else {
            return &made.child;
          }
        },
        node.constructor);
  }

  bool finished(const datatype::Node& node) const { return trivial(node) || built_.contains(&node); }

  // Of a finished node.
  Layout layout_of(const datatype::Node& node) {
    if (node.attributes.size == 0) return {};
    if (node.attributes.dense) return {node.attributes.true_lb, layout::run(node.attributes.size)};
    if (const auto* named = std::get_if<Named>(&node.constructor)) return of(*named);
    return built_.at(&node);
  }

  // Of a node of one child, whose layout is known.
  Layout around(const datatype::Node& node, const Layout& child) {
    ++spelled_;
    return std::visit(Around{child, spelled_}, node.constructor);
  }

  // A struct and all that stands below it and is not finished, children before their parents.
  void build_members(const datatype::Node& root) {
    std::vector<const datatype::Node*> waiting{&root};
    while (!waiting.empty()) {
      const datatype::Node& node = *waiting.back();
      const std::size_t before = waiting.size();
      const auto wait_for = [&](const Datatype& child) {
        if (!finished(datatype::node_of(child))) waiting.push_back(&datatype::node_of(child));
      };
      const auto* const members = std::get_if<datatype::Struct>(&node.constructor);
      if (finished(node)) {
        waiting.pop_back();
        continue;
      }
      if (members != nullptr) {
        std::ranges::for_each(members->children, wait_for);
      } else {
        wait_for(*only_child(node));
      }
      if (waiting.size() > before) continue;
      waiting.pop_back();
      built_.emplace(&node, members != nullptr
                                ? of(*members)
                                : around(node, layout_of(datatype::node_of(*only_child(node)))));
    }
  }

  Layout of(Named named) {
    std::vector<Layout> parts;
    for (const datatype::Basic& basic : datatype::basic_elements(named)) {
      parts.push_back({basic.displacement, layout::run(basic.size)});
    }
    return sequence(std::move(parts));
  }

  Layout sequence(std::vector<Layout> parts) {
    spelled_ += std::ssize(parts);
    return make_sequence(std::move(parts), layout::longest_written(spelled_));
  }

  // Its members are finished.
  Layout of(const datatype::Struct& node) {
    if (std::optional<Layout> runs = as_runs(node)) return *std::move(runs);
    std::vector<Layout> parts;
    parts.reserve(node.children.size());
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const Datatype& child = node.children[i];
      if (node.blocklengths[i] == 0 || child.size() == 0) continue;
      Layout part = make_repeat(layout_of(datatype::node_of(child)), node.blocklengths[i], child.extent());
      part.offset += node.displacements[i];
      parts.push_back(std::move(part));
    }
    return sequence(std::move(parts));
  }

  // A struct whose members are consecutive bytes, as most are: a list of these, without a node for each.
  std::optional<Layout> as_runs(const datatype::Struct& node) {
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const datatype::Attributes& child = datatype::node_of(node.children[i]).attributes;
      const bool apart = node.blocklengths[i] > 1 && child.ub - child.lb != child.size;
      if (child.size > 0 && (!child.dense || apart)) return std::nullopt;
    }
    std::vector<std::int64_t> displacements;
    std::vector<std::int64_t> bytes;
    displacements.reserve(node.children.size());
    bytes.reserve(node.children.size());
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const datatype::Attributes& child = datatype::node_of(node.children[i]).attributes;
      const std::int64_t length = node.blocklengths[i];
      if (length == 0 || child.size == 0) continue;
      displacements.push_back(node.displacements[i] + child.true_lb);
      bytes.push_back(length * child.size);
    }
    spelled_ += std::ssize(bytes);
    return make_blocks({displacements, bytes, 1, 1, layout::run(1)}, 0);
  }

  std::unordered_map<const datatype::Node*, Layout> built_;
  std::int64_t spelled_ = 0;  ///< constructors and entries of their lists, so far
};

}  // namespace

Layout normalise(const Datatype& datatype, std::int64_t count) {
  if (datatype.null()) {
    throw InvalidArgument("typewarp::normalise", "datatype", "null", "must not be the null datatype");
  }
  const Layout one = Builder().build(datatype);
  layout::check_repeat("typewarp::normalise", one, count, datatype.extent());
  return make_repeat(one, count, datatype.extent());
}

}  // namespace typewarp
