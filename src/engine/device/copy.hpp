// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>
#include <typewarp/operation.hpp>

#include "engine/runtime/launch_context.hpp"

#include <cstddef>
#include <cstdint>

namespace typewarp::gpu {

/// One side of a copy. A null plan means `count` contiguous bytes, and `address` then is byte range.begin.
struct Side {
  const Plan* plan;
  std::int64_t count;
  void* address;
  /// What the caller knows of the memory; affects only how bytes are moved. The device that has it, or -1.
  MemoryKind memory = MemoryKind::device;
  int device = -1;
};

/// The hints of both plans, and the environment's where they say nothing. A null plan has no hints.
inline Hints hints_of(const Plan* destination, const Plan* source) {
  const Hints none;
  const Hints& to = destination != nullptr ? destination->hints() : none;
  const Hints& from = source != nullptr ? source->hints() : none;
  const Hints& outer = Hints::of_environment();
  return to.empty() && from.empty() ? outer : merged(outer, joined(from, to));
}

/// Enqueues the move of bytes `range` of the packed stream, by kernels or DMA. Both sides must be addressable
/// by the context's device. Waits for nothing, except that the first call for a device loads the kernels, for
/// which the driver may wait for that device. Allocates at the first use of a plan on this device, of a
/// kernel on this stream, or of a count of items that needs a plan's lists in another form. Plans and sides
/// need not outlive the call. Heeds hints_of() both plans, as docs/guide/hints.md says.
void copy(const Side& destination, const Side& source, ByteRange range, const LaunchContext& context);

/// Enqueues inout[i] = in[i] op inout[i] for `count` numbers of a type that is reducible(), not necessarily
/// aligned. The context's device must address both.
void reduce(const std::byte* in, std::byte* inout, std::int64_t count, Named type, Operation operation,
            const LaunchContext& context);

/// Does what the first use of the side's plan on `device` needs: finds its shape, allocates and uploads its
/// lists, so that copy() and CopyBatch::add() need not. Complete on return. Throws GpuError.
void prepare(const Side& side, int device);

/// Whether copy engines move the first `bytes` bytes of a side, in memory of `device`, to or from page-locked
/// memory in less time than a kernel waits where other processes share the device (gpu_sharing.hpp): one run,
/// or not too many rows of equal length. Not where hints name a method, or avoid copy engines. What prepare()
/// does comes first.
bool suits_copy_engines(const Side& side, std::int64_t bytes, int device);
/// copy() by copy engines alone, where one side is page-locked memory. False where they do not suit: nothing
/// was enqueued then.
bool copy_by_engines(const Side& destination, const Side& source, ByteRange range,
                     const LaunchContext& context);

}  // namespace typewarp::gpu
