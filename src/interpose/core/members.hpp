// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/plan.hpp>

#include <cstddef>
#include <cstdint>

/// Structs of absolute addresses, sent from MPI_BOTTOM, whose members lie partly with a device and partly in
/// memory of the host. No kernel reaches both, so each member is moved for itself.
namespace typewarp::interpose {

/// Whether a buffer and its datatype are such a struct.
bool lies_in_several_memories(const void* buffer, const Plan& plan) noexcept;

/// Packs all of it into host memory, or unpacks the first `bytes` bytes of the packed stream; done on return.
/// Throw CudaError.
void pack_members(std::int64_t count, const Plan& plan, std::byte* packed);
void unpack_members(const std::byte* packed, std::int64_t bytes, const Plan& plan);

}  // namespace typewarp::interpose
