// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/datatype.hpp>

#include "base/never_destroyed.hpp"
#include "datatype/make.hpp"
#include "datatype/named.hpp"

#include <array>
#include <cstddef>
#include <memory>

namespace typewarp {

namespace {

/// One node for each named type.
class NamedNodes {
 public:
  NamedNodes() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const auto named = static_cast<Named>(i);
      std::construct_at(&nodes_[i], named, datatype::named_attributes(named), 0);
    }
  }
  ~NamedNodes() = delete;

  /// Has no owner to count: the node outlives whatever points to it, and needs no memory of its own.
  std::shared_ptr<const datatype::Node> operator[](Named named) const noexcept {
    return {std::shared_ptr<void>(), &nodes_[static_cast<std::size_t>(named)]};
  }

 private:
  union {
    std::array<datatype::Node, datatype::named_count> nodes_;
  };
};

std::shared_ptr<const datatype::Node> named_node(Named named) {
  // Never destroyed, as static objects of programs may make datatypes, and gone with a library that is
  // closed.
  static NeverDestroyed<NamedNodes> nodes;
  datatype::basic_elements(named);  // throws for a value that is no enumerator
  return nodes.get()[named];
}

}  // namespace

const datatype::Node& datatype::node_of(const Datatype& type) {
  const Node* const node = Internal::node(type);
  if (node == nullptr) {
    throw InvalidArgument("typewarp::Datatype", "*this", "null", "must not be the null datatype");
  }
  return *node;
}

Datatype::Datatype(Named named) : node_(named_node(named)) {}

std::int64_t Datatype::size() const { return datatype::node_of(*this).attributes.size; }
std::int64_t Datatype::lb() const { return datatype::node_of(*this).attributes.lb; }
std::int64_t Datatype::ub() const { return datatype::node_of(*this).attributes.ub; }
std::int64_t Datatype::extent() const { return ub() - lb(); }
std::int64_t Datatype::true_lb() const { return datatype::node_of(*this).attributes.true_lb; }
std::int64_t Datatype::true_ub() const { return datatype::node_of(*this).attributes.true_ub; }
std::int64_t Datatype::true_extent() const { return true_ub() - true_lb(); }
std::int64_t Datatype::elements() const { return datatype::node_of(*this).attributes.elements; }
Signature Datatype::signature() const { return datatype::node_of(*this).attributes.signature; }

bool Datatype::contiguous() const {
  const datatype::Attributes& attributes = datatype::node_of(*this).attributes;
  return attributes.size == 0 || (attributes.dense && attributes.true_lb == attributes.lb &&
                                  datatype::extent_of(attributes) == attributes.size);
}

}  // namespace typewarp
