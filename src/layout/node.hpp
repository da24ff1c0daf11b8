// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/layout.hpp>

/// Nodes with their attributes filled in. These build what they are told; the rules are elsewhere.
namespace typewarp::layout {

NodePtr run(std::int64_t bytes);
NodePtr repeat(std::int64_t count, std::int64_t stride, NodePtr child);
NodePtr blocks(Blocks blocks);
NodePtr sequence(Sequence sequence);

/// Same pointer or same structure.
bool same(const NodePtr& a, const NodePtr& b);

/// Pieces of consecutive bytes, and nodes and entries of lists, written out as a tree. Both take a step for
/// each node down to the first sequence, and are the largest 64-bit value where there are more.
std::int64_t runs(const Node& node) noexcept;
std::int64_t entries(const Node& node) noexcept;

/// The bytes of a Run, or -1 for every other shape.
std::int64_t run_bytes(const Node& node) noexcept;

}  // namespace typewarp::layout
