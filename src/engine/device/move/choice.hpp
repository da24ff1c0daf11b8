// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/method_row.hpp"

#include <span>

/// Which method moves what. Plain functions of values, which need no device.
namespace typewarp::gpu {

/// All methods but Method::automatic, in the order in which they are asked.
std::span<const MethodRow* const> method_rows() noexcept;
/// That of a method, which is not Method::automatic.
const MethodRow& row_of(Method method) noexcept;

/// Whether the method can move this within the hints on blocks.
bool possible(const MethodRow& row, const Query& query);
/// What the method takes of what may be avoided. Copies within a device are kernels of the driver, also where
/// it is asked to keep off the multiprocessors (docs/contention.md).
Resource used(const MethodRow& row, const MoveTraits& move);

/// The method that moves it: the one that the hints ask for, if it is possible; else the first that suits,
/// and takes nothing that is to be avoided; else the first that is possible and does not either. Where
/// nothing spares the multiprocessors, Method::bounded. From layout to layout, Method::pattern is to be
/// tried: where the items have too little in common, Method::layouts moves them.
Method choose(const Query& query);

/// Whether all layouts are looked up by Lookup::generic.
inline bool asks_for_generic(const Hints& hints) {
  return hints.method == Method::generic && hints.max_blocks == 0;
}

/// The priority of a move by `method`: the one that the hints ask for; else the highest of few blocks that
/// wait for PCIe, which take little from the kernels that they overtake.
Priority priority_of(const Query& query, Method method);

/// Log2 of the widest words that both sides allow.
int word_log2(const OperandTraits& destination, const OperandTraits& source);

}  // namespace typewarp::gpu
