// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/named.hpp"

namespace typewarp {

namespace {

/// Where a part of one item of a type ends: after so many elements, and so many bytes further inside `child`,
/// which is null where no child is cut.
struct Cut {
  std::int64_t elements;
  const Datatype* child;
  std::int64_t bytes;
};

/// 0 < bytes < the size.
Cut cut(Named named, std::int64_t bytes) {
  Cut cut{0, nullptr, bytes};
  for (const datatype::Basic& basic : datatype::basic_elements(named)) {
    if (cut.bytes < basic.size) break;
    cut.bytes -= basic.size;
    ++cut.elements;
  }
  return cut;
}

Cut cut(const datatype::Struct& node, std::int64_t bytes) {
  Cut cut{0, nullptr, bytes};
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const Datatype& child = node.children[i];
    const std::int64_t member = node.blocklengths[i] * child.size();
    if (cut.bytes < member) {
      cut.child = &child;
      break;
    }
    cut.bytes -= member;
    cut.elements += node.blocklengths[i] * child.elements();
  }
  return cut;
}

/// The packed stream of every other constructor is a repetition of its child's.
template <typename Node>
Cut cut(const Node& node, std::int64_t bytes) {
  return {0, &node.child, bytes};
}

}  // namespace

std::int64_t Datatype::elements_in(std::int64_t bytes) const {
  datatype::node_of(*this);  // throws for the null datatype
  if (bytes < 0) {
    throw InvalidArgument("typewarp::Datatype::elements_in", "bytes", bytes, "must not be negative");
  }
  if (bytes == 0) return 0;
  if (size() == 0) return -1;
  std::int64_t elements = 0;
  const Datatype* type = this;
  while (true) {
    elements += bytes / type->size() * type->elements();
    bytes %= type->size();
    if (bytes == 0) return elements;
    const Cut inside = std::visit([bytes](const auto& made) { return cut(made, bytes); },
                                  datatype::node_of(*type).constructor);
    elements += inside.elements;
    if (inside.child == nullptr) return inside.bytes == 0 ? elements : -1;
    type = inside.child;
    bytes = inside.bytes;
  }
}

}  // namespace typewarp
