// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include "check.hpp"

namespace typewarp::bench {

DeviceMemory allocate_device(std::int64_t bytes) {
  void* data = nullptr;
  check(cudaMalloc(&data, static_cast<std::size_t>(bytes)), "cudaMalloc");
  DeviceMemory memory(static_cast<std::byte*>(data));
  check(cudaMemset(data, 1, static_cast<std::size_t>(bytes)), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");  // a Queue does not wait for the default stream
  return memory;
}

PinnedMemory allocate_pinned(std::int64_t bytes) {
  void* data = nullptr;
  check(cudaMallocHost(&data, static_cast<std::size_t>(bytes)), "cudaMallocHost");
  return PinnedMemory(static_cast<std::byte*>(data));
}

Queue::Queue() {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
}

void Queue::wait() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

}  // namespace typewarp::bench
