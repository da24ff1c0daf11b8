// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/cuda/ipc/share.hpp"

#include "engine/gpu/share.hpp"
#include "engine/gpu/cuda/runtime/device.hpp"
#include "engine/gpu/cuda/runtime/driver.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <random>
#include <type_traits>
#include <vector>

namespace typewarp::gpu {
namespace {

static_assert(std::has_unique_object_representations_v<SharedMemory>,
              "it travels as bytes, so none is unset");
static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(SharedMemory::handle));
static_assert(sizeof(cudaUUID_t) == sizeof(DeviceName));

/// What the driver knows of an address; all zero where it knows nothing.
struct Allocation {
  int memory_type = 0;
  int device = 0;
  int legacy = 0;  ///< whether there are inter-process handles of the first kind for it
  int managed = 0;
  unsigned long long id = 0;
  CUdeviceptr base = 0;
  std::size_t size = 0;
  CUmemoryPool pool = nullptr;
};

Allocation allocation_of(const void* address) {
  static const auto get_attributes =
      driver_entry<PFN_cuPointerGetAttributes_v7000>("cuPointerGetAttributes", 7000);
  Allocation found;
  if (get_attributes == nullptr) return found;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                      CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
                                      CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                      CU_POINTER_ATTRIBUTE_BUFFER_ID,
                                      CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                      CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                      CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE};
  void* values[] = {&found.memory_type, &found.device, &found.legacy, &found.managed,
                    &found.id,          &found.base,   &found.size,   static_cast<void*>(&found.pool)};
  static_assert(std::size(attributes) == std::size(values));
  const CUresult status =
      get_attributes(std::size(values), attributes, values, reinterpret_cast<CUdeviceptr>(address));
  return status == CUDA_SUCCESS ? found : Allocation{};
}

/// Why memory cannot be exported; null if it can.
const char* obstacle(const Allocation& found) {
  if (found.memory_type != CU_MEMORYTYPE_DEVICE && found.managed == 0) return "it is not memory of a device";
  if (found.managed != 0) return "it is managed memory, which belongs to one process";
  if (found.legacy != 0) return nullptr;
  return found.pool != nullptr ? "it is of a memory pool" : "it is virtual memory that the program mapped";
}

/// The handles of the last allocations that were exported, since the driver takes long to make one. No
/// allocation is ever named as another one was, so an old one is merely of no use.
class Handles {
 public:
  /// False if it is not known.
  bool find(unsigned long long allocation, cudaIpcMemHandle_t& handle) {
    const std::lock_guard lock(mutex_);
    const Entry& entry = entries_[allocation % entries_.size()];
    if (!entry.known || entry.allocation != allocation) return false;
    handle = entry.handle;
    return true;
  }
  void keep(unsigned long long allocation, const cudaIpcMemHandle_t& handle) {
    const std::lock_guard lock(mutex_);
    entries_[allocation % entries_.size()] = {true, allocation, handle};
  }

 private:
  struct Entry {
    bool known = false;
    unsigned long long allocation = 0;
    cudaIpcMemHandle_t handle{};
  };
  std::mutex mutex_;
  std::array<Entry, 256> entries_;
};

cudaError_t get_handle(const Allocation& found, cudaIpcMemHandle_t& handle) {
  static Handles& handles = *new Handles;
  if (handles.find(found.id, handle)) return cudaSuccess;
  const DeviceGuard guard(found.device);
  const RelaxedCapture relaxed;
  const cudaError_t status = cudaIpcGetMemHandle(&handle, reinterpret_cast<void*>(found.base));
  if (status == cudaSuccess) handles.keep(found.id, handle);
  return status;
}

std::nullopt_t refuse(std::string* reason, const char* text) {
  if (reason != nullptr) *reason = text;
  return std::nullopt;
}

const std::vector<DeviceName>& device_names() {
  static const std::vector<DeviceName>& names = *[] {
    auto* const found = new std::vector<DeviceName>;
    for (int id = 0; id < device_count(); ++id) {
      cudaDeviceProp properties;
      TYPEWARP_CUDA(cudaGetDeviceProperties(&properties, id));
      std::memcpy(found->emplace_back().data(), &properties.uuid, sizeof(DeviceName));
    }
    return found;
  }();
  return names;
}

}  // namespace

const ProcessName& this_process() {
  static const ProcessName name = [] {
    std::random_device random;
    const auto word = [&random] { return std::uint64_t{random()} << 32 | random(); };
    return ProcessName{word(), word()};
  }();
  return name;
}

const DeviceName& device_name(int device) { return device_names().at(static_cast<std::size_t>(device)); }

int device_named(const DeviceName& name) {
  const std::vector<DeviceName>& names = device_names();
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

bool device_has(int device, const SharedMemory& memory) { return device_name(device) == memory.device; }

std::optional<SharedMemory> export_memory(const void* address, std::int64_t bytes, std::string* reason) {
  if (bytes < 0) {
    throw InvalidArgument("typewarp::gpu::export_memory", "bytes", bytes, "must not be negative");
  }
  if (!present()) return refuse(reason, "there is no device");
  const Allocation found = allocation_of(address);
  if (const char* const text = obstacle(found)) return refuse(reason, text);
  const auto offset = static_cast<std::int64_t>(reinterpret_cast<CUdeviceptr>(address) - found.base);
  const auto size = static_cast<std::int64_t>(found.size);
  if (bytes > size - offset) return refuse(reason, "it ends outside of the allocation in which it begins");
  cudaIpcMemHandle_t handle;
  const cudaError_t status = get_handle(found, handle);
  if (status != cudaSuccess) {
    ignore(status);
    return refuse(reason, cudaGetErrorString(status));
  }
  SharedMemory memory{SharedMemory::Kind::ipc,
                      this_process(),
                      found.id,
                      found.base,
                      size,
                      offset,
                      device_name(found.device),
                      {}};
  std::memcpy(memory.handle.data(), &handle, sizeof(handle));
  return memory;
}

}  // namespace typewarp::gpu
