// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/layout.hpp>

#include "datatype/named.hpp"
#include "datatype/node.hpp"
#include "layout/sequence.hpp"

#include <unordered_map>
#include <utility>

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

/// One normalisation. A struct that stands in several places of the tree is built once: a tree of n shared
/// levels would otherwise take 2^n steps.
class Builder {
 public:
  Layout build(const Datatype& type) {
    const datatype::Node& node = datatype::node_of(type);
    if (node.attributes.size == 0) return {};
    if (node.attributes.dense) return {node.attributes.true_lb, layout::run(node.attributes.size)};
    return std::visit([this](const auto& constructor) { return of(constructor); }, node.constructor);
  }

 private:
  Layout of(Named named) {
    std::vector<Layout> parts;
    for (const datatype::Basic& basic : datatype::basic_elements(named)) {
      parts.push_back({basic.displacement, layout::run(basic.size)});
    }
    return make_sequence(std::move(parts));
  }

  Layout of(const datatype::Contiguous& node) {
    return make_repeat(build(node.child), node.count, node.child.extent());
  }

  Layout strided(const Datatype& child, std::int64_t count, std::int64_t blocklength, std::int64_t stride) {
    return make_repeat(make_repeat(build(child), blocklength, child.extent()), count, stride);
  }

  Layout of(const datatype::Vector& node) {
    return strided(node.child, node.count, node.blocklength,
                   scaled(node.count, node.stride, node.child.extent()));
  }

  Layout of(const datatype::Hvector& node) {
    return strided(node.child, node.count, node.blocklength, node.stride);
  }

  // `unit` is what one displacement counts, in bytes.
  Layout listed(const Datatype& child, const std::vector<std::int64_t>& counts,
                const std::vector<std::int64_t>& displacements, std::int64_t unit) {
    const Layout part = build(child);
    return make_blocks({displacements, counts, unit, child.extent(), part.root}, part.offset);
  }

  Layout of(const datatype::Indexed& node) {
    return listed(node.child, node.blocklengths, node.displacements, node.child.extent());
  }

  Layout of(const datatype::Hindexed& node) {
    return listed(node.child, node.blocklengths, node.displacements, 1);
  }

  Layout listed_blocks(const Datatype& child, std::int64_t blocklength,
                       const std::vector<std::int64_t>& displacements, std::int64_t unit) {
    const Layout block = make_repeat(build(child), blocklength, child.extent());
    return make_blocks({displacements, {}, unit, 0, block.root}, block.offset);
  }

  Layout of(const datatype::IndexedBlock& node) {
    return listed_blocks(node.child, node.blocklength, node.displacements, node.child.extent());
  }

  Layout of(const datatype::HindexedBlock& node) {
    return listed_blocks(node.child, node.blocklength, node.displacements, 1);
  }

  Layout of(const datatype::Struct& node) {
    if (const auto known = structs_.find(&node); known != structs_.end()) return known->second;
    std::vector<Layout> parts;
    parts.reserve(node.children.size());
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const Datatype& child = node.children[i];
      if (node.blocklengths[i] == 0 || child.size() == 0) continue;
      Layout part = make_repeat(build(child), node.blocklengths[i], child.extent());
      part.offset += node.displacements[i];
      parts.push_back(std::move(part));
    }
    return structs_.emplace(&node, make_sequence(std::move(parts))).first->second;
  }

  Layout of(const datatype::Subarray& node) {
    Layout part = build(node.child);
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

  Layout of(const datatype::Darray& node) { return build(node.expansion); }
  Layout of(const datatype::Resized& node) { return build(node.child); }
  Layout of(const datatype::Dup& node) { return build(node.child); }

  std::unordered_map<const datatype::Struct*, Layout> structs_;
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
