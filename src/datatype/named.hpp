// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include "datatype/node.hpp"

#include <span>

namespace typewarp::datatype {

/// A basic type at its place in a named type.
struct Basic {
  Named type;
  std::int64_t displacement;
  std::int64_t size;
};

/// What a named type consists of: itself, or the two halves of a pair type (of which MPI_SHORT_INT alone has
/// a gap between them). Throws InvalidArgument for a value that is no enumerator.
std::span<const Basic> basic_elements(Named named);

Attributes named_attributes(Named named);

inline constexpr std::size_t named_count = static_cast<std::size_t>(Named::two_integer) + 1;

}  // namespace typewarp::datatype
