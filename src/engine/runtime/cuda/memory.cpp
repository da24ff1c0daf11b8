// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/never_destroyed.hpp"
#include "base/size_classes.hpp"
#include "engine/runtime/memory.hpp"

#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/cuda/coherent.hpp"
#include "engine/runtime/cuda/driver.hpp"

#include <bit>
#include <string>

namespace typewarp::gpu {
namespace {

/// Never destroyed: at exit the runtime frees the memory itself.
class PinnedPool {
 public:
  static constexpr std::int64_t smallest = 4096;
  /// A buffer given back while more than this lies idle is freed instead.
  static constexpr std::size_t idle_limit = std::size_t{512} << 20;

  void* take(std::size_t capacity) {
    if (void* const idle = idle_.take(capacity)) return idle;
    // A context of the program would take the memory with it.
    const DeviceGuard guard(current_device());
    const RelaxedCapture relaxed;
    void* buffer = nullptr;
    TYPEWARP_CUDA(cudaHostAlloc(&buffer, capacity, cudaHostAllocPortable | cudaHostAllocMapped));
    return buffer;
  }

  void give(void* buffer, std::size_t capacity) noexcept {
    if (idle_.give(buffer, capacity)) return;
    const RelaxedCapture relaxed;
    ignore(cudaFreeHost(buffer));
  }

 private:
  SizeClasses idle_{idle_limit};
};

PinnedPool& pool() {
  static NeverDestroyed<PinnedPool> instance;
  return instance.get();
}

std::int64_t size_class(std::int64_t bytes) {
  constexpr std::int64_t largest = std::int64_t{1} << 62;
  if (bytes < 0 || bytes > largest) {
    throw InvalidArgument("typewarp::gpu::PinnedBuffer", "bytes", bytes,
                          "must lie in [0, " + std::to_string(largest) + "]");
  }
  if (bytes <= PinnedPool::smallest) return PinnedPool::smallest;
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
}

}  // namespace

bool peers_may_touch(const void* pointer) {
  // The driver's own word for memory of cudaMalloc: legacy inter-process handles exist for no other.
  int legacy = 0;
  return tell_of_pointer(&legacy, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, pointer) && legacy != 0;
}

PointerInfo pointer_info(const void* pointer) {
  if (!present() || pointer == nullptr) return {};
  cudaPointerAttributes attributes{};
  const cudaError_t status = cudaPointerGetAttributes(&attributes, pointer);
  // Runtimes that do not know the address say so the one way; as the process ends, no device has any.
  if (status == cudaErrorInvalidValue || status == cudaErrorCudartUnloading) {
    ignore(status);
    return {};
  }
  check(status, "cudaPointerGetAttributes(&attributes, pointer)");
  switch (attributes.type) {
    case cudaMemoryTypeHost:
      return {MemoryKind::pinned, -1};
    case cudaMemoryTypeDevice:
      return {MemoryKind::device, attributes.device};
    case cudaMemoryTypeManaged:
      return {MemoryKind::managed, attributes.device};
    case cudaMemoryTypeUnregistered:
      break;
  }
  return {};
}

PinnedBuffer::PinnedBuffer(std::int64_t bytes) : capacity_(size_class(bytes)) {
  data_ = static_cast<std::byte*>(pool().take(static_cast<std::size_t>(capacity_)));
}

PinnedBuffer::~PinnedBuffer() {
  if (data_ != nullptr) pool().give(data_, static_cast<std::size_t>(capacity_));
}

DeviceAllocation::DeviceAllocation(int id, std::int64_t bytes, Storing storing) {
  const DeviceGuard guard(id);
  const RelaxedCapture relaxed;
  void* address = nullptr;
  const auto size = static_cast<std::size_t>(bytes);
  TYPEWARP_CUDA(storing == Storing::others ? allocate_coherent(&address, size) : cudaMalloc(&address, size));
  data_ = static_cast<std::byte*>(address);
}

DeviceAllocation::~DeviceAllocation() {
  const RelaxedCapture relaxed;
  if (data_ != nullptr) ignore(cudaFree(data_));
}

void clear(int device, std::byte* memory, std::int64_t bytes) {
  const DeviceGuard guard(device);
  const RelaxedCapture relaxed;
  const OwnStream stream(device);
  TYPEWARP_CUDA(cudaMemsetAsync(memory, 0, static_cast<std::size_t>(bytes), stream.get()));
  TYPEWARP_CUDA(cudaStreamSynchronize(stream.get()));
}

}  // namespace typewarp::gpu
