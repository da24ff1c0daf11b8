// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/data.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// Structs of absolute addresses, sent from MPI_BOTTOM, whose members lie partly with a device and partly in
/// memory of the host. No kernel reaches both, so each member is moved for itself.
namespace typewarp::interpose {

/// Whether the type is a struct, if need be under another name or with other bounds.
bool has_members(const Plan& plan) noexcept;
/// Whether it is one whose members lie in several memories. `address` is where its displacements count from.
bool lies_in_several_memories(const void* address, const Plan& plan) noexcept;

/// Where the data of each member of each item begins. Precondition: the type has members.
std::vector<const void*> members(const Data& data);

/// Packs all of it, or unpacks the first `bytes` bytes of the packed stream; enqueued on its stream.
/// Precondition: the type has members. Throw GpuError.
void pack_members(const Data& data, std::byte* packed);
void unpack_members(const std::byte* packed, std::int64_t bytes, const Data& data);

}  // namespace typewarp::interpose
