// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// Of a device; with PEERS_ON_HOST, of the host.
#ifndef PEERS_ON_HOST
#include <cuda_runtime_api.h>
#endif

namespace peers {

using Bytes = std::vector<std::uint64_t>;  ///< as words, eight bytes each

#ifdef PEERS_ON_HOST

inline int use_device(int) { return 0; }
inline void* allocate(std::size_t bytes) { return std::malloc(bytes); }
inline void release(void* data) { std::free(data); }
inline void copy(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

#else

inline void expect(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(code));
  std::abort();
}

/// The number of devices.
inline int use_device(int rank) {
  int count = 0;
  expect(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  expect(cudaSetDevice(rank % count), "cudaSetDevice");
  return count;
}
inline void* allocate(std::size_t bytes) {
  void* data = nullptr;
  expect(cudaMalloc(&data, bytes), "cudaMalloc");
  return data;
}
inline void release(void* data) { expect(cudaFree(data), "cudaFree"); }
inline void copy(void* to, const void* from, std::size_t bytes) {
  expect(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
  expect(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

#endif

/// What a rank sends from, or receives into.
class Memory {
 public:
  explicit Memory(std::size_t bytes) : bytes_(bytes), data_(allocate(bytes)) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { release(data_); }

  char* at(std::size_t offset = 0) const noexcept { return static_cast<char*>(data_) + offset; }
  void fill(const Bytes& content) const { copy(data_, content.data(), bytes_); }
  Bytes content() const {
    Bytes content((bytes_ + 7) / 8);
    copy(content.data(), data_, bytes_);
    return content;
  }

 private:
  std::size_t bytes_;
  void* data_;
};

}  // namespace peers
