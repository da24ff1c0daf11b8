// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace emulated {

/// What copy engines refuse: sides that begin in an allocation and end outside of it.
void check_copy(const void* to, const void* from, std::size_t bytes);

}  // namespace emulated
