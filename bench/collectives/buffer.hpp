// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace typewarp::collectives_bench {

inline void expect(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(code));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

enum class Memory { device, pinned };

/// Floats on the device, or in page-locked memory of the host.
class Buffer {
 public:
  explicit Buffer(std::size_t count, Memory memory = Memory::device) : count_(count), memory_(memory) {
    const std::size_t bytes = count * sizeof(float);
    if (memory == Memory::device) {
      expect(cudaMalloc(&data_, bytes), "cudaMalloc");
    } else {
      expect(cudaMallocHost(&data_, bytes), "cudaMallocHost");
    }
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { memory_ == Memory::device ? cudaFree(data_) : cudaFreeHost(data_); }

  float* data() const noexcept { return static_cast<float*>(data_); }
  void fill(float value) const {
    const std::vector<float> all(count_, value);
    expect(cudaMemcpy(data_, all.data(), count_ * sizeof(float), cudaMemcpyDefault), "cudaMemcpy");
  }
  /// `count` of them, from `first` on, are all `value`.
  bool holds(float value, std::size_t first, std::size_t count) const {
    std::vector<float> all(count);
    expect(cudaMemcpy(all.data(), data() + first, count * sizeof(float), cudaMemcpyDefault), "cudaMemcpy");
    return std::all_of(all.begin(), all.end(), [&](float each) { return each == value; });
  }
  bool ends_with(float value, std::size_t count) const { return holds(value, count_ - count, count); }

 private:
  std::size_t count_;
  Memory memory_;
  void* data_ = nullptr;
};

}  // namespace typewarp::collectives_bench
