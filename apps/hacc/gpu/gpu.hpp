// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hacc/carrier/member_table.hpp"

#include <typewarp/stream.hpp>

#include <cstdint>

/// The kernels of ByHand. A build without CUDA throws typewarp::Error from both.
namespace hacc::gpu {

/// Enqueues gather_member() of all members; `packed` is page-locked or device memory.
void gather_members(const MemberTable& table, std::uint32_t* packed, typewarp::Stream stream);
/// Enqueues scatter_member() of all members.
void scatter_members(const MemberTable& table, const std::uint32_t* packed, typewarp::Stream stream);

}  // namespace hacc::gpu
