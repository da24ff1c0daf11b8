// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "datatype/checked.hpp"
#include "datatype/node.hpp"

/// What all constructors begin and end with.
namespace typewarp::datatype {

/// Throws InvalidArgument for a tree deeper than max_depth.
Datatype make(Constructor constructor, const Attributes& attributes);

/// The attributes of a child; throws InvalidArgument if it is the null datatype.
const Attributes& attributes_of(std::string_view call, const Datatype& child,
                                std::string_view argument = "child");

/// Throws InvalidArgument unless array `name` has as many entries as array `other_name`.
void require_entries(std::string_view call, std::string_view name, std::size_t entries,
                     std::string_view other_name, std::size_t other_entries);

inline std::int64_t extent_of(const Attributes& attributes) noexcept { return attributes.ub - attributes.lb; }

}  // namespace typewarp::datatype
