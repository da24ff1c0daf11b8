// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/layout.hpp>

#include <cstddef>

namespace typewarp::cli {

/// What a program does without any library, and what 'typewarp bench' compares the host engine with: loops
/// over the layout, with a memcpy for each run. `buffer` is what displacements are relative to.
void pack_by_loops(const Layout& layout, const std::byte* buffer, std::byte* packed);
void unpack_by_loops(const Layout& layout, const std::byte* packed, std::byte* buffer);

}  // namespace typewarp::cli
