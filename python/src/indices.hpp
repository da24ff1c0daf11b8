// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "view.hpp"

#include <cstdint>
#include <vector>

namespace typewarp::python {

// What arrays of indices hold. Those of a GPU are copied to the host, behind what `stream` holds. Throw
// nanobind::value_error that names `argument`.

/// All bytes, the last dimension fastest: of a mask one an element.
std::vector<std::byte> bytes_of(const char* argument, View& view, std::uintptr_t stream);
/// Integers of any size, in one dimension. What 64 bits with a sign do not hold comes as the largest that
/// they do.
std::vector<std::int64_t> integers_of(const char* argument, View& view, std::uintptr_t stream);

}  // namespace typewarp::python
