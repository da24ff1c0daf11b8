// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/share.hpp"

#include "base/never_destroyed.hpp"
#include "engine/runtime/cuda/mapping_cache.hpp"
#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/memory.hpp"
#include "engine/runtime/cuda/driver.hpp"

#include <array>
#include <cstring>
#include <mutex>
#include <random>
#include <type_traits>

namespace typewarp::gpu {
namespace {

static_assert(std::has_unique_object_representations_v<SharedMemory>,
              "it travels as bytes, so none is unset");
static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(SharedMemory::handle));
static_assert(sizeof(cudaUUID_t) == sizeof(DeviceName));

/// What the driver knows of an address; all zero where it knows nothing.
struct Allocation {
  CUmemorytype memory_type{};
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
    const KnownHandle& entry = entries_[allocation % entries_.size()];
    if (!entry.known || entry.allocation != allocation) return false;
    handle = entry.handle;
    return true;
  }
  void keep(unsigned long long allocation, const cudaIpcMemHandle_t& handle) {
    const std::lock_guard lock(mutex_);
    entries_[allocation % entries_.size()] = {true, allocation, handle};
  }

 private:
  struct KnownHandle {
    bool known = false;
    unsigned long long allocation = 0;
    cudaIpcMemHandle_t handle{};
  };
  std::mutex mutex_;
  std::array<KnownHandle, 256> entries_;
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

struct Uuid {
  explicit Uuid(int device) {
    cudaDeviceProp properties;
    TYPEWARP_CUDA(cudaGetDeviceProperties(&properties, device));
    std::memcpy(name.data(), &properties.uuid, sizeof(DeviceName));
  }
  DeviceName name;
};

/// The device of that UUID; -1 if this process sees none.
int device_named(const DeviceName& name) {
  for (int id = 0; id < device_count(); ++id) {
    if (device_name(id) == name) return id;
  }
  return -1;
}

/// Drawn at random on first use, since numbers of processes repeat from container to container. A child made
/// by fork() after that has its parent's, but no use of a GPU either.
const std::array<std::uint64_t, 2>& this_process() {
  static const std::array<std::uint64_t, 2> name = [] {
    std::random_device random;
    const auto word = [&random] { return std::uint64_t{random()} << 32 | random(); };
    return std::array{word(), word()};
  }();
  return name;
}

/// Mappings kept. A rank that moves some buffers to and from each of some tens of peers stays below; a
/// mapping whose memory was freed keeps that from the other process until it is closed, so they are not many
/// more.
constexpr std::size_t mapping_limit = 256;

void* open_ipc(const SharedMemory& memory, int device, std::string& reason) {
  const DeviceGuard guard(device);
  const RelaxedCapture relaxed;
  cudaIpcMemHandle_t handle;
  std::memcpy(&handle, memory.handle.data(), sizeof(handle));
  void* address = nullptr;
  const cudaError_t status = cudaIpcOpenMemHandle(&address, handle, cudaIpcMemLazyEnablePeerAccess);
  if (status != cudaSuccess) {
    ignore(status);
    reason = cudaGetErrorString(status);
    return nullptr;
  }
  const Allocation mapped = allocation_of(address);
  if (mapped.size == 0 || static_cast<std::int64_t>(mapped.size) >= memory.size) return address;
  ignore(cudaIpcCloseMemHandle(address));
  reason = "it is shorter than was told";
  return nullptr;
}

/// Whether a process that names memory of this one names what there is.
bool is_own(const SharedMemory& memory) {
  const Allocation found = allocation_of(reinterpret_cast<const void*>(memory.base));
  return found.id == memory.allocation && found.base == memory.base &&
         static_cast<std::int64_t>(found.size) == memory.size;
}

void close_ipc(const Mapping& mapping) {
  try {
    const RelaxedCapture relaxed;
    const DeviceGuard guard(mapping.key.device);
    ignore(cudaIpcCloseMemHandle(mapping.address));
  } catch (const GpuError&) {
    return;  // a runtime that no longer makes a device current has unmapped everything
  }
}

struct IpcMappings : MappingCache {
  IpcMappings() : MappingCache(open_ipc, close_ipc, mapping_limit) {}
};

/// At exit the runtime unmaps everything itself. The first use may be MPI_Finalize's, which cannot fail.
MappingCache& cache() {
  static NeverDestroyed<IpcMappings> instance;
  return instance.get();
}

void check_memory(const SharedMemory& memory) {
  const auto fail = [](const char* field, std::int64_t value, const char* rule) {
    throw InvalidArgument("typewarp::gpu::import_memory", field, value, rule);
  };
  if (memory.kind != SharedMemory::Kind::ipc) {
    fail("memory.kind", static_cast<std::int64_t>(memory.kind), "must be one that export_memory() gives");
  }
  if (memory.size <= 0) fail("memory.size", memory.size, "must be positive");
  if (memory.offset < 0 || memory.offset > memory.size) {
    fail("memory.offset", memory.offset, "must lie in the allocation");
  }
}

}  // namespace

const DeviceName& device_name(int device) { return kept<Uuid>(device).name; }

std::uint64_t allocation_number(const void* address) noexcept {
  if (!in_use()) return 0;
  try {
    const Allocation found = allocation_of(address);
    return found.memory_type == CU_MEMORYTYPE_DEVICE ? found.id : 0;
  } catch (const std::exception&) {  // of finding the driver's call
    return 0;
  }
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

std::optional<ImportedMemory> import_memory(const SharedMemory& memory, int id, std::string* reason) {
  check_memory(memory);
  Device& home = device(id);
  std::string unused;
  std::string& why = reason != nullptr ? *reason : unused;
  const int owner = device_named(memory.device);
  const bool is_of_this_process = memory.process == this_process();
  // A mapping opens the way by itself. Peer access would make a context on each other GPU, in each process.
  if (owner >= 0 && !(is_of_this_process ? home.can_reach(owner) : home.can_map(owner))) {
    why = "device " + std::to_string(id) + " cannot reach device " + std::to_string(owner);
    return std::nullopt;
  }
  if (is_of_this_process) {
    if (!is_own(memory)) return refuse(&why, "this process has it no more");
    auto* const address = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(memory.base) +
                                                       static_cast<std::uintptr_t>(memory.offset));
    if (owner != id && !is_of_primary_context(address)) return refuse(&why, "it is of another CUDA context");
    return ImportedMemory(address, owner, nullptr);
  }
  const Mapping* const mapping = cache().acquire(memory, id, why);
  if (mapping == nullptr) return std::nullopt;
  return ImportedMemory(static_cast<std::byte*>(mapping->address) + memory.offset, owner, mapping);
}

ImportedMemory::~ImportedMemory() {
  if (mapping_ != nullptr) cache().release(static_cast<const Mapping*>(mapping_));
}

ImportCount imports() noexcept { return cache().count(); }

void close_imports() noexcept { cache().close_idle(); }

}  // namespace typewarp::gpu
