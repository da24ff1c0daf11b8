// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/make.hpp"

#include <algorithm>
#include <utility>

namespace typewarp::datatype {
namespace {

int depth_of(Named) { return 0; }

int depth_of(const Struct& type) {
  int deepest = 0;
  for (const Datatype& child : type.children) deepest = std::max(deepest, datatype::node_of(child).depth);
  return deepest + 1;
}

template <typename Type>
int depth_of(const Type& type) {
  return datatype::node_of(type.child).depth + 1;
}

}  // namespace

Datatype make(Constructor constructor, const Attributes& attributes) {
  const int depth = std::visit([](const auto& type) { return depth_of(type); }, constructor);
  if (depth > max_depth) {
    throw InvalidArgument("typewarp::Datatype", "child", std::to_string(depth) + " levels",
                          "must not nest deeper than " + std::to_string(max_depth) + " constructors");
  }
  return Internal::make(std::make_shared<Node>(std::move(constructor), attributes, depth));
}

const Attributes& attributes_of(std::string_view call, const Datatype& child, std::string_view argument) {
  if (child.null()) throw InvalidArgument(call, argument, "null", "must not be the null datatype");
  return datatype::node_of(child).attributes;
}

void require_entries(std::string_view call, std::string_view name, std::size_t entries,
                     std::string_view other_name, std::size_t other_entries) {
  if (entries == other_entries) return;
  std::string rule("must have as many as ");
  rule.append(other_name).append(", which has ").append(std::to_string(other_entries));
  throw InvalidArgument(call, name, std::to_string(entries) + " entries", rule);
}

}  // namespace typewarp::datatype
