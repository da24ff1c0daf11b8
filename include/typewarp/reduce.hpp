// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>
#include <typewarp/operation.hpp>

namespace typewarp {

/// inout[i] = in[i] op inout[i] for `count` numbers of `type`, as MPI_Reduce_local. Neither address needs to
/// be aligned. Streams as in engine.hpp; memory that is not the host's must be reached by one device. Throws
/// InvalidArgument that names "count" if it is negative, "type" if reducible() does not hold, "in" or "inout"
/// for null with a count, and for pageable memory where the other side is a device's; GpuError.
void reduce_local(const void* in, void* inout, std::int64_t count, Named type, Operation operation,
                  Stream stream = {});

}  // namespace typewarp
