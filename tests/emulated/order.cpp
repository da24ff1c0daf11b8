// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What ThreadSanitizer sees of the emulated device: where nothing orders the work of two streams, or of a
// stream and the host, there is a race, even if the one has long been done when the other begins.
// By event, host or query they are in order; by nothing there are two races.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <string_view>
#include <thread>

namespace {

constexpr size_t bytes = 4096;

cudaStream_t made_stream() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  return stream;
}

/// Long enough for what a stream was given to be done.
void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }

}  // namespace

int main(int, char** arguments) {
  const std::string_view by = arguments[1];
  void* memory;
  void* pinned;
  cudaMalloc(&memory, bytes);
  cudaMallocHost(&pinned, bytes);
  const cudaStream_t first = made_stream(), second = made_stream();
  cudaEvent_t event;
  cudaEventCreate(&event);

  cudaMemsetAsync(memory, 1, bytes, first);
  cudaEventRecord(event, first);
  rest();
  if (by == "event") cudaStreamWaitEvent(second, event, 0);
  if (by == "host") cudaEventSynchronize(event);
  if (by == "query" && cudaEventQuery(event) != cudaSuccess) return 1;
  cudaMemcpyAsync(pinned, memory, bytes, cudaMemcpyDeviceToHost, second);
  rest();
  if (by != "nothing") cudaStreamSynchronize(second);
  std::printf("read %d\n", static_cast<int>(*static_cast<unsigned char*>(pinned)));
}
