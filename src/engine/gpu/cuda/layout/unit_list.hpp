// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/cuda/layout/offsets.hpp"
#include "plan/encoding.hpp"

/// What Lookup::list looks into, in packed order.
namespace typewarp::gpu {

/// The displacements of every unit of an irregular item whose runs are cut into equal units: for a node of
/// kind varying whose blocks are runs, with its lists in `lookaside`; all of its lists are multiples of
/// `unit` bytes, a power of two.
Offsets unit_list(const plan::Node& node, const std::byte* lookaside, std::int64_t unit);

/// The displacements of a node of kind blocks, multiples of `unit` bytes.
Offsets block_list(const plan::Node& node, const std::byte* lookaside, std::int64_t unit);

}  // namespace typewarp::gpu
