// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/call.hpp"

#include <optional>

/// Collective calls that compute, where each rank combines its share of the numbers on the device
/// that has them, by MPI's operations on what is reducible(). What is shared goes by messages of
/// ours, as in moved.hpp, with the same results: a code, or nothing where the call is to be made otherwise.
/// All ranks get the same bits, and get them again where they call again, whatever memory is free then: a
/// call that finds no room on its device combines on the host, in the same order.
namespace typewarp::interpose::device_reduction {

std::optional<int> make(Call& call) noexcept;
/// MPI_Reduce_local, within this rank.
std::optional<int> make_local(Call& call) noexcept;

}  // namespace typewarp::interpose::device_reduction
