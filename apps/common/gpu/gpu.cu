// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/gpu/check.hpp"
#include "common/gpu/gpu.hpp"

#include <typewarp/error.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>

namespace apps::gpu {
namespace {

using typewarp::MemoryKind;
using typewarp::Stream;

void* allocate_raw(MemoryKind kind, std::size_t bytes) {
  void* memory = nullptr;
  switch (kind) {
    case MemoryKind::pinned:
      check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
      break;
    case MemoryKind::managed:
      check(cudaMallocManaged(&memory, bytes), "cudaMallocManaged");
      break;
    case MemoryKind::device:
      check(cudaMalloc(&memory, bytes), "cudaMalloc");
      break;
    case MemoryKind::host:
      throw typewarp::InvalidArgument("gpu::allocate", "kind", "host", "is not CUDA's");
  }
  return memory;
}

}  // namespace

int count() {
  int devices = 0;
  const cudaError_t result = cudaGetDeviceCount(&devices);
  if (result != cudaSuccess) {  // no driver or no device: an answer, not a failure
    cudaGetLastError();
    return 0;
  }
  return devices;
}

void select(int index) { check(cudaSetDevice(index), "cudaSetDevice"); }

void* allocate(MemoryKind kind, std::int64_t bytes) {
  const std::size_t size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  void* memory = allocate_raw(kind, size);
  try {
    if (kind == MemoryKind::pinned) {
      std::memset(memory, 0, size);
    } else {
      check(cudaMemset(memory, 0, size), "cudaMemset");
      check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }
  } catch (...) {
    release(kind, memory);
    throw;
  }
  return memory;
}

void release(MemoryKind kind, void* memory) noexcept {
  if (kind == MemoryKind::pinned) {
    cudaFreeHost(memory);
  } else {
    cudaFree(memory);
  }
}

Stream create_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

void destroy_stream(Stream stream) noexcept { cudaStreamDestroy(stream); }

void synchronize(Stream stream) { check(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }

void copy(void* destination, const void* source, std::int64_t bytes, Stream stream) {
  check(cudaMemcpyAsync(destination, source, static_cast<std::size_t>(bytes), cudaMemcpyDefault, stream),
        "cudaMemcpyAsync");
}

void copy_rows(void* destination, std::int64_t destination_pitch, const void* source,
               std::int64_t source_pitch, std::int64_t width, std::int64_t rows, Stream stream) {
  check(cudaMemcpy2DAsync(destination, static_cast<std::size_t>(destination_pitch), source,
                          static_cast<std::size_t>(source_pitch), static_cast<std::size_t>(width),
                          static_cast<std::size_t>(rows), cudaMemcpyDefault, stream),
        "cudaMemcpy2DAsync");
}

}  // namespace apps::gpu
