// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/copy.hpp"
#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/enqueue.hpp"
#include "engine/device/kernels/launch.hpp"
#include "plan/arithmetic.hpp"

#include <algorithm>

namespace typewarp::gpu {
namespace {

template <typename T>
bool aligned(const std::byte* bytes) {
  return reinterpret_cast<std::uintptr_t>(bytes) % alignof(T) == 0;
}

/// One number a thread at a time, neighbours together. `whole`: numbers lie where they can be loaded at once.
template <typename T, bool whole>
__global__ void __launch_bounds__(launch_policy.threads)
    reduce_numbers(const std::byte* in, std::byte* inout, std::int64_t count, Operation operation) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * launch_policy.threads + threadIdx.x;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * launch_policy.threads;
  for (std::int64_t i = first; i < count; i += step) {
    if constexpr (whole) {
      T& number = reinterpret_cast<T*>(inout)[i];
      plan::assign(number, plan::combined(operation, reinterpret_cast<const T*>(in)[i], number));
    } else {
      plan::combine<T>(operation, in, inout, i);
    }
  }
}

}  // namespace

void reduce(const std::byte* in, std::byte* inout, std::int64_t count, Named type, Operation operation,
            const LaunchContext& context) {
  constexpr std::int64_t most_blocks = std::int64_t{1} << 20;  // beyond, threads have several numbers
  const DeviceGuard guard(context.device);
  plan::visit_number(type, [&]<typename T>(T, plan::NumberKind) {
    const void* kernel = aligned<T>(in) && aligned<T>(inout) ? kernel_address(reduce_numbers<T, true>)
                                                             : kernel_address(reduce_numbers<T, false>);
    const std::int64_t blocks =
        std::min((count + launch_policy.threads - 1) / launch_policy.threads, most_blocks);
    void* arguments[] = {&in, &inout, &count, &operation};
    enqueue_kernel(context, kernel, blocks, launch_policy.threads, arguments);
  });
}

}  // namespace typewarp::gpu
