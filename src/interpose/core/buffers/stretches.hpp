// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/data.hpp"

#include <cstddef>
#include <memory>

/// Data that lies partly with a device and partly in memory of the host, as types of absolute addresses may.
/// No kernel reaches both, so each stretch of it is moved for itself.
namespace typewarp::interpose {

enum class Apart : std::uint8_t {
  memories,  ///< by the memory in which the bytes lie
  blocks,    ///< as if each block lay in a memory of its own: for tests
};

/// The stretches of `count` items at `address`, in the order of the packed stream; null where there is one
/// only. Asks the driver of each block that is listed, once for those that begin in one page one after the
/// other. A repetition of more than 16 items that do not themselves lie in several memories lies in one if
/// its ends do.
std::shared_ptr<const Stretches> stretches_of(const void* address, std::int64_t count, const Plan& plan,
                                              Apart apart = Apart::memories);
/// The same of what lies at an address of the program's, and not at MPI_BOTTOM. Asks only of the ends, and
/// only where these are 2 MiB apart, unless they lie in several memories.
std::shared_ptr<const Stretches> stretches_of_buffer(const void* address, std::int64_t count,
                                                     const Plan& plan);

/// Moves a range of the packed stream, of which `packed` is the first byte: enqueued on the data's stream, or
/// done. Precondition: the data is split. Throw GpuError.
void pack_stretches(const Data& data, ByteRange range, std::byte* packed);
void unpack_stretches(const std::byte* packed, ByteRange range, const Data& data);

}  // namespace typewarp::interpose
