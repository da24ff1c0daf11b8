// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/launch_context.hpp"
#include "engine/runtime/box.hpp"
#include "engine/runtime/device_counter.hpp"

#include <typewarp/error.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// All that moves bytes is given to the runtime here, so that whoever follows a LaunchContext misses nothing
/// of it. The context's device is current.
namespace typewarp::gpu {

/// Whether what is enqueued is recorded into a graph.
bool recorded(const LaunchContext& context) noexcept;

/// What a kernel of so many thread blocks has to count up, if it is launched next under the context; a null
/// one if there is nothing, or the blocks may not all run at once.
DeviceCounter counter_for(const LaunchContext& context, std::int64_t blocks);

/// `arguments` point to the kernel's parameters; `shared` is bytes of dynamic shared memory. Throws GpuError
/// if the launch fails.
void enqueue_kernel(const LaunchContext& context, const void* kernel, std::int64_t blocks, int threads,
                    void** arguments, std::size_t shared = 0);
/// The same for a kernel that waits for what is before it in the stream itself, and may begin earlier.
/// Preconditions: not recorded(), and the device is prepared.
void enqueue_overlapping(const LaunchContext& context, const void* kernel, std::int64_t blocks, int threads,
                         void** arguments);
/// The same for a kernel that counts, of two parameters: `move`, and a DeviceCounter.
void enqueue_counting(const LaunchContext& context, const void* kernel, std::int64_t blocks, int threads,
                      void* move, std::size_t shared = 0);

/// Why copy engines do not take a copy, most likely as a side is memory of several allocations; nothing was
/// enqueued then. Other errors are thrown.
using Refusal = std::optional<GpuError>;

/// By DMA.
Refusal enqueue_copy(const LaunchContext& context, void* to, const void* from, std::size_t bytes);
/// Rows of `row` bytes, each with its pitch. Precondition: not recorded().
Refusal enqueue_rows(const LaunchContext& context, void* to, std::size_t to_pitch, const void* from,
                     std::size_t from_pitch, std::size_t row, std::size_t rows);
/// Boxes in no order among themselves, by copy engines also within a device, as far as the driver heeds what
/// it is asked for. Preconditions: batches_by_engines(), not recorded(), the stream is not captured, and none
/// of the default streams but that of the thread.
Refusal enqueue_boxes(const LaunchContext& context, const std::vector<Box>& boxes);
/// Whether the driver has that.
bool batches_by_engines();

}  // namespace typewarp::gpu
