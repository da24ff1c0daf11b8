// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/calls.hpp"

#include <array>

/// Programs look whether an MPI has a call: by dlsym, or by a weak reference, which is null if it has not.
/// So the calls that we export and nobody makes are hidden.
namespace typewarp::interpose {

using Seen = std::array<bool, calls>;

/// Hides the calls that are not in `seen`, and shows the others. From now on weak references that lead to a
/// hidden call are null, and references to a call that was hidden lead to ours. `next` is what a call goes to
/// without us.
void show(const Seen& seen, const std::array<void*, calls>& next) noexcept;

}  // namespace typewarp::interpose
