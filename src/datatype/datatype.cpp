// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/datatype.hpp>

#include "datatype/make.hpp"
#include "datatype/named.hpp"

#include <array>

namespace typewarp {

namespace {

/// One shared node for each named type, never destroyed: static objects of programs may hold datatypes.
const std::shared_ptr<const datatype::Node>& named_node(Named named) {
  using Nodes = std::array<std::shared_ptr<const datatype::Node>, datatype::named_count>;
  static const Nodes& nodes = *[] {
    auto* made = new Nodes;
    for (std::size_t i = 0; i < made->size(); ++i) {
      const auto each = static_cast<Named>(i);
      (*made)[i] = std::make_shared<datatype::Node>(each, datatype::named_attributes(each), 0);
    }
    return made;
  }();
  datatype::basic_elements(named);  // throws for a value that is no enumerator
  return nodes[static_cast<std::size_t>(named)];
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
