// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "array.hpp"

#include <typewarp/plan.hpp>

namespace typewarp::python {

/// The same elements in the same order in fewer dimensions: those of size 1 are gone, those that follow each
/// other without gaps are one. The last is a run of bytes (stride 1), and the only one for an array without
/// gaps.
std::vector<Dimension> merged(const Array& array);

/// The datatype of these dimensions, relative to the element of indices 0.
Datatype datatype_of(const std::vector<Dimension>& merged);

/// Its plan. The process keeps those of the 1,024 shapes that were used last. Thread safe.
Plan plan_of(const std::vector<Dimension>& merged);

}  // namespace typewarp::python
