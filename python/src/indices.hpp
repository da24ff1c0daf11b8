// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "view.hpp"

#include <cstdint>
#include <vector>

namespace typewarp::python {

// What arrays of indices hold. Those of a GPU are copied to the host, behind what their stream holds. All
// throw nanobind::value_error that names `argument`.

bool is_mask(const View& view);
/// Of a mask: one byte an element, the last dimension fastest.
std::vector<std::byte> bytes_of(View& view, std::uintptr_t stream);
/// Of integers of any size, in one dimension.
std::vector<std::int64_t> integers_of(const char* argument, View& view, std::uintptr_t stream);

}  // namespace typewarp::python
