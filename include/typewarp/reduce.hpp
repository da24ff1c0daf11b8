// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>
#include <typewarp/operation.hpp>

namespace typewarp {

/// inout[i] = in[i] op inout[i] for `count` numbers of `type`, as MPI_Reduce_local. Neither address needs to
/// be aligned. Streams as in engine.hpp; one device must reach all memory that is not host memory. Throws
/// InvalidArgument that names "count" if it is negative, "type" if reducible() is false, "in" or "inout" if
/// null with a count, or if pageable while the other side is device memory; GpuError.
void reduce_local(const void* in, void* inout, std::int64_t count, Named type, Operation operation,
                  Stream stream = {});

}  // namespace typewarp
