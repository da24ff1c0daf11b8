// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/gpu.hpp"
#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/memory_kinds.hpp"

#include <cuda.h>
#include <cudaTypedefs.h>

#include <thread>

namespace typewarp::test {
namespace {

template <typename Function>
Function of_driver(const char* name, unsigned since) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  EXPECT_CUDA(cudaGetDriverEntryPointByVersion(name, &entry, since, cudaEnableDefault, &found));
  return reinterpret_cast<Function>(entry);
}

CUcontext current() {
  static const auto get = of_driver<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent", 4000);
  CUcontext context = nullptr;
  EXPECT_EQ(get(&context), CUDA_SUCCESS);
  return context;
}

/// A context beside the primary one of device 0, current in the thread that made it, as GCC's runtime of OpenACC
/// makes one.
class OwnContext {
 public:
  OwnContext() {
    static const auto create = of_driver<PFN_cuCtxCreate_v3020>("cuCtxCreate", 3020);
    EXPECT_EQ(create(&context_, 0, 0), CUDA_SUCCESS);
  }
  OwnContext(const OwnContext&) = delete;
  OwnContext& operator=(const OwnContext&) = delete;
  ~OwnContext() {
    static const auto destroy = of_driver<PFN_cuCtxDestroy_v4000>("cuCtxDestroy", 4000);
    EXPECT_EQ(destroy(context_), CUDA_SUCCESS);
    EXPECT_CUDA(cudaSetDevice(0));
  }
  CUcontext get() const { return context_; }

 private:
  CUcontext context_ = nullptr;
};

/// Packs memory of the current context on a stream of the library, as a message does.
void expect_packed(const Datatype& type, Source packed, std::uint32_t seed) {
  OneItem it(type, packed);
  const auto expected = it.fill(seed);
  const Stream stream = gpu::private_stream(0);
  it.pack(stream);
  gpu::Event(0, stream).wait();
  EXPECT_EQ(it.packed_bytes(), expected) << name(packed);
}

void expect_packed_in_all_ways() {
  for (const Source packed : {Source::device, Source::pinned}) {
    expect_packed(vector(1000, 1, 4, Named::double_), packed, 1);
    expect_packed(indexed({1, 5, 2}, {0, 3, 100}, Named::double_), packed, 2);
    expect_packed(contiguous(1000, Named::double_), packed, 3);
    expect_packed(vector(500, 17, 24, Named::byte), packed, 4);
  }
}

TEST(Contexts, OfTheProgramAreAsGoodAsThePrimaryOne) {
  TYPEWARP_NEEDS_GPU();
  {
    const OwnContext own;
    expect_packed_in_all_ways();
    EXPECT_EQ(current(), own.get());
  }
  expect_packed_in_all_ways();  // by what the library made meanwhile
  {
    const OwnContext own;
    expect_packed_in_all_ways();
    std::thread([] { expect_packed_in_all_ways(); }).join();
    EXPECT_EQ(current(), own.get());
  }
  EXPECT_CUDA(cudaGetLastError());
}

TEST(Contexts, OfTheProgramStayCurrentWhereADeviceIsNamed) {
  TYPEWARP_NEEDS_TWO_GPUS();
  const OwnContext own;
  {
    const gpu::DeviceGuard guard(1);
    EXPECT_NE(current(), own.get());
  }
  EXPECT_EQ(current(), own.get());
}

}  // namespace
}  // namespace typewarp::test
