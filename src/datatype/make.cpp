// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/make.hpp"

#include <algorithm>
#include <utility>

namespace typewarp::datatype {

Datatype make(Constructor constructor, const Attributes& attributes) {
  int depth = 1;
  for_each_child(constructor,
                 [&](const Datatype& child) { depth = std::max(depth, node_of(child).depth + 1); });
  if (depth > max_depth) {
    throw InvalidArgument("typewarp::Datatype", "child", std::to_string(depth) + " levels",
                          "must not nest deeper than " + std::to_string(max_depth) + " constructors");
  }
  return Internal::make(std::make_shared<Node>(std::move(constructor), attributes, depth));
}

const Attributes& attributes_of(std::string_view call, const Datatype& child, std::string_view argument) {
  if (child.null()) throw InvalidArgument(call, argument, "null", "must not be the null datatype");
  return node_of(child).attributes;
}

void require_entries(std::string_view call, std::string_view name, std::size_t entries,
                     std::string_view other_name, std::size_t other_entries) {
  if (entries == other_entries) return;
  std::string rule("must have as many as ");
  rule.append(other_name).append(", which has ").append(std::to_string(other_entries));
  throw InvalidArgument(call, name, std::to_string(entries) + " entries", rule);
}

}  // namespace typewarp::datatype
