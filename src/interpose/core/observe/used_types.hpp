// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

/// The datatypes of a program, by what they are: equal ones that were made at different times are one.
namespace typewarp::interpose {

struct UsedType {
  explicit UsedType(std::string description) : text(std::move(description)) {}

  const std::string text;  ///< in one line
  std::atomic<std::int64_t> calls = 0;
  std::atomic<std::int64_t> bytes = 0;  ///< of packed data
};

/// The record of that type, which stays for as long as the process lives. Of a program that makes types
/// without end, all beyond the first 1000 have one in common. Throws std::bad_alloc.
UsedType& used_type(const Datatype& type);

/// The tree of constructors as one line, abridged: "vector ... of resized ... of double ...".
std::string one_line(const Datatype& type);

/// Those with the most bytes, at most `most`, in order.
std::vector<const UsedType*> most_used_types(std::size_t most);

}  // namespace typewarp::interpose
