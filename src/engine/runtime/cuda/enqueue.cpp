// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/enqueue.hpp"

#include "engine/runtime/cuda/completion.hpp"
#include "engine/runtime/cuda/launcher.hpp"
#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/gpu_sharing.hpp"
#include "engine/runtime/memory.hpp"
#include "engine/runtime/side_stream.hpp"

#include <atomic>

namespace typewarp::gpu {
namespace {

/// A kernel of at most so many blocks per multiprocessor, which all run at once, counts its own completion:
/// its last block does. With more blocks each would delay the next one until its stores are visible.
constexpr std::int64_t telling_blocks = 4;

std::atomic<std::uint64_t> kernels{0};

Graph* graph_of(const LaunchContext& context) noexcept {
  return context.completion != nullptr ? context.completion->graph() : nullptr;
}

void launched(const LaunchContext& context) noexcept {
  if (context.completion != nullptr) context.completion->launched();
}

Refusal outcome(const LaunchContext& context, cudaError_t status, const char* call) {
  if (status == cudaSuccess) {
    launched(context);
    return {};
  }
  if (status != cudaErrorInvalidValue && status != cudaErrorNotSupported) fail(status, call);
  ignore(status);
  return GpuError(call, static_cast<int>(status), cudaGetErrorString(status));
}

/// At the context's priority: as the kernel's own, or, where kernels have none, as that of another stream.
void launch(const cudaKernelNodeParams& kernel, const LaunchContext& context) {
  Device& home = device(context.device);
  const bool differs = needs_side_stream(context.device, context.stream, context.priority);
  if (!differs || home.kernels_have_priorities()) {
    return home.launcher().launch(kernel, context.stream, differs ? context.priority : Priority::automatic);
  }
  on_side_stream(context, context.priority, [&](const LaunchContext& beside) {
    home.launcher().launch(kernel, beside.stream, Priority::automatic);
  });
}

/// Whether the driver may send the bytes to the device as part of a stream's commands, which wait for the
/// turn of this process, and not by a copy engine, which does not: it does so with short contiguous copies
/// from host memory (H200: 24 KiB take 150 us, 28 KiB 12; decision 105).
bool waits_for_a_turn(const LaunchContext& context, const void* from, std::size_t bytes) {
  constexpr std::size_t longest = std::size_t{32} << 10;
  return bytes >= 2 && bytes < longest && sharing(context.device) == Sharing::time_sliced &&
         pointer_info(from).kind == MemoryKind::pinned;
}

/// Rows of equal length, one behind the other, go by a copy engine.
cudaError_t copy_in_rows(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  const auto halves = [&](std::size_t begin, std::size_t row) {
    return cudaMemcpy2DAsync(static_cast<std::byte*>(to) + begin, row,
                             static_cast<const std::byte*>(from) + begin, row, row, 2, cudaMemcpyDefault,
                             stream);
  };
  const cudaError_t status = halves(0, bytes / 2);
  const bool is_over = status != cudaSuccess || bytes % 2 == 0;
  return is_over ? status : halves(bytes - 2, 1);  // with the one before it, once more
}

}  // namespace

bool recorded(const LaunchContext& context) noexcept { return graph_of(context) != nullptr; }

DeviceCounter counter_for(const LaunchContext& context, std::int64_t blocks) {
  if (context.completion == nullptr || blocks > telling_blocks * device(context.device).multiprocessors())
    return {};
  return context.completion->take(context.device);
}

void enqueue_kernel(const LaunchContext& context, const void* kernel, std::int64_t blocks, int threads,
                    void** arguments, std::size_t shared) {
  cudaKernelNodeParams node{};
  node.func = const_cast<void*>(kernel);
  node.gridDim = dim3(static_cast<unsigned>(blocks));
  node.blockDim = dim3(static_cast<unsigned>(threads));
  node.sharedMemBytes = static_cast<unsigned>(shared);
  node.kernelParams = arguments;
  if (Graph* const graph = graph_of(context)) {
    graph->add(node);
  } else {
    launch(node, context);
    kernels.fetch_add(1, std::memory_order_relaxed);
  }
  launched(context);
}

void enqueue_overlapping(const LaunchContext& context, const void* kernel, std::int64_t blocks, int threads,
                         void** arguments) {
  cudaLaunchAttribute overlapping{};
  overlapping.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlapping.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.stream = context.stream;
  config.attrs = &overlapping;
  config.numAttrs = device(context.device).launches_overlap() ? 1 : 0;
  TYPEWARP_CUDA(cudaLaunchKernelExC(&config, kernel, arguments));
  kernels.fetch_add(1, std::memory_order_relaxed);
  launched(context);
}

void enqueue_counting(const LaunchContext& context, const void* kernel, std::int64_t blocks, int threads,
                      void* move, std::size_t shared) {
  DeviceCounter counter = counter_for(context, blocks);
  void* arguments[] = {move, &counter};
  enqueue_kernel(context, kernel, blocks, threads, arguments, shared);
}

Refusal enqueue_copy(const LaunchContext& context, void* to, const void* from, std::size_t bytes) {
  if (Graph* const graph = graph_of(context)) {
    return outcome(context, graph->add_copy(to, from, bytes), "cudaGraphAddMemcpyNode");
  }
  if (waits_for_a_turn(context, from, bytes)) {
    return outcome(context, copy_in_rows(to, from, bytes, context.stream), "cudaMemcpy2DAsync");
  }
  return outcome(context, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, context.stream),
                 "cudaMemcpyAsync");
}

Refusal enqueue_rows(const LaunchContext& context, const RowCopy& rows) {
  const auto bytes = [](std::int64_t count) { return static_cast<std::size_t>(count); };
  return outcome(
      context,
      cudaMemcpy2DAsync(rows.to.first, bytes(rows.to.pitch), rows.from.first, bytes(rows.from.pitch),
                        bytes(rows.row), bytes(rows.rows), cudaMemcpyDefault, context.stream),
      "cudaMemcpy2DAsync");
}

std::uint64_t launches() noexcept { return kernels.load(std::memory_order_relaxed); }

}  // namespace typewarp::gpu
