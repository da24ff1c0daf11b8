// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/named.hpp"

namespace typewarp {

namespace {

using datatype::Struct;

std::int64_t in_items(const Datatype& type, std::int64_t bytes);

std::int64_t in_item(Named named, std::int64_t bytes) {
  std::int64_t elements = 0;
  for (const datatype::Basic& basic : datatype::basic_elements(named)) {
    if (bytes == 0) break;
    if (bytes < basic.size) return -1;
    bytes -= basic.size;
    ++elements;
  }
  return elements;
}

std::int64_t in_item(const Struct& node, std::int64_t bytes) {
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < node.children.size() && bytes > 0; ++i) {
    const Datatype& child = node.children[i];
    const std::int64_t member = node.blocklengths[i] * child.size();
    if (bytes < member) {
      const std::int64_t inside = in_items(child, bytes);
      return inside < 0 ? -1 : elements + inside;
    }
    bytes -= member;
    elements += node.blocklengths[i] * child.elements();
  }
  return elements;
}

/// The packed stream of every other constructor is a repetition of its child's.
template <typename Node>
std::int64_t in_item(const Node& node, std::int64_t bytes) {
  return in_items(node.child, bytes);
}

/// 0 <= bytes, of any number of items.
std::int64_t in_items(const Datatype& type, std::int64_t bytes) {
  if (bytes == 0) return 0;
  if (type.size() == 0) return -1;
  const std::int64_t whole = bytes / type.size() * type.elements();
  const std::int64_t rest = bytes % type.size();
  if (rest == 0) return whole;
  const std::int64_t inside =
      std::visit([&](const auto& node) { return in_item(node, rest); }, datatype::node_of(type).constructor);
  return inside < 0 ? -1 : whole + inside;
}

}  // namespace

std::int64_t Datatype::elements_in(std::int64_t bytes) const {
  datatype::node_of(*this);  // throws for the null datatype
  if (bytes < 0) {
    throw InvalidArgument("typewarp::Datatype::elements_in", "bytes", bytes, "must not be negative");
  }
  return in_items(*this, bytes);
}

}  // namespace typewarp
