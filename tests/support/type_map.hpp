// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <cstdint>
#include <vector>

/// The oracle: a datatype's type map (MPI 5.0, section 5.1), enumerated element by element by the most
/// naive code there is. Nothing under test is used to make it but the datatype's own tree.
namespace typewarp::test {

struct Element {
  Named type;  ///< a basic type: pair types appear as their two halves
  std::int64_t displacement;
  std::int64_t size;
};

/// lb and ub by the definition of MPI 5.0, section 5.1.6, with the markers of resized types and the padding,
/// taken copy by copy.
struct Bounds {
  std::int64_t lb, ub;
};
Bounds bounds(const Datatype& datatype);

/// `count` items, ub - lb of the bounds above apart.
std::vector<Element> type_map(const Datatype& datatype, std::int64_t count = 1);

/// The displacement of every byte of the packed stream, in its order.
std::vector<std::int64_t> byte_map(const Datatype& datatype, std::int64_t count = 1);

/// Whether no displacement appears twice.
bool disjoint(std::vector<std::int64_t> bytes);

}  // namespace typewarp::test
