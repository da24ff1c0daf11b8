// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/device.hpp"
#include "engine/runtime/memory.hpp"

#include <cuda.h>
#include <dlfcn.h>
#include <link.h>

#include <atomic>

namespace typewarp::gpu {
namespace {

using GetCount = decltype(&cuDeviceGetCount);
using GetAttribute = decltype(&cuPointerGetAttribute);
using GetContext = decltype(&cuCtxGetCurrent);

/// What the program's own driver library offers; null until it has been found.
std::atomic<GetCount> get_count{nullptr};
std::atomic<GetAttribute> get_attribute{nullptr};
std::atomic<GetContext> get_context{nullptr};

// How many libraries this process has loaded so far: the loader tells with each entry, the first suffices.
unsigned long long libraries_loaded() noexcept {
  unsigned long long loaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        *static_cast<unsigned long long*>(result) = info->dlpi_adds;
        return 1;
      },
      &loaded);
  return loaded;
}

// To look for a library takes longer than all else here, and another answer needs another library.
bool find_driver() noexcept {
  static std::atomic<unsigned long long> seen{0};
  const unsigned long long loaded = libraries_loaded();
  if (seen.load(std::memory_order_relaxed) == loaded) return false;
  // Never closed: the program has it.
  void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library != nullptr) {
    get_attribute.store(reinterpret_cast<GetAttribute>(dlsym(library, "cuPointerGetAttribute")));
    get_context.store(reinterpret_cast<GetContext>(dlsym(library, "cuCtxGetCurrent")));
    get_count.store(reinterpret_cast<GetCount>(dlsym(library, "cuDeviceGetCount")));
  }
  seen.store(loaded, std::memory_order_relaxed);
  return get_count.load() != nullptr;
}

}  // namespace

bool in_use() noexcept {
  static std::atomic<bool> known{false};
  if (known.load(std::memory_order_acquire)) return true;
  if (get_count.load(std::memory_order_acquire) == nullptr && !find_driver()) return false;
  int devices = 0;
  // Before cuInit this says CUDA_ERROR_NOT_INITIALIZED.
  if (get_count.load()(&devices) != CUDA_SUCCESS || devices == 0) return false;
  known.store(true, std::memory_order_release);
  return true;
}

bool on_device(const void* pointer) noexcept {
  if (pointer == nullptr || !in_use()) return false;
  CUmemorytype type = CU_MEMORYTYPE_HOST;
  const auto address = reinterpret_cast<CUdeviceptr>(pointer);
  // The driver does not know pageable memory, and says CUDA_ERROR_INVALID_VALUE.
  return get_attribute.load()(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) == CUDA_SUCCESS &&
         type != CU_MEMORYTYPE_HOST;
}

bool out_of_reach(const void* pointer) noexcept {
  if (!on_device(pointer)) return false;
  unsigned int managed = 0;
  const auto address = reinterpret_cast<CUdeviceptr>(pointer);
  return get_attribute.load()(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address) == CUDA_SUCCESS &&
         managed == 0;
}

bool has_context() noexcept {
  if (!in_use()) return false;
  CUcontext context = nullptr;
  return get_context.load()(&context) == CUDA_SUCCESS && context != nullptr;
}

}  // namespace typewarp::gpu
