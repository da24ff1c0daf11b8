// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/encoding.hpp"

namespace typewarp::gpu {

/// Whether node `index` is itself a list of runs of any length.
bool lists_runs(const plan::Encoding& encoding, std::size_t index);

/// The first item of node `index`, run by run, as a list of runs of its own: one node of kind varying and its
/// run. No node above it may have more than one child.
plan::Encoding flattened(const plan::Encoding& encoding, std::size_t index);

}  // namespace typewarp::gpu
