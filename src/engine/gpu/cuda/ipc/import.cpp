// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/share.hpp"
#include "engine/gpu/cuda/runtime/device.hpp"
#include "engine/gpu/cuda/ipc/mapping_cache.hpp"
#include "engine/gpu/cuda/ipc/share.hpp"

#include <cstring>

namespace typewarp::gpu {
namespace {

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
  if (status == cudaSuccess) return address;
  ignore(status);
  reason = cudaGetErrorString(status);
  return nullptr;
}

/// Throws nothing: a runtime that no longer makes a device current has unmapped everything.
void close_ipc(const Mapping& mapping) {
  const RelaxedCapture relaxed;
  int previous = mapping.key.device;
  ignore(cudaGetDevice(&previous));
  ignore(cudaSetDevice(mapping.key.device));
  ignore(cudaIpcCloseMemHandle(mapping.address));
  ignore(cudaSetDevice(previous));
}

/// Never destroyed: at exit the runtime unmaps everything itself.
MappingCache& cache() {
  static MappingCache& instance = *new MappingCache(open_ipc, close_ipc, mapping_limit);
  return instance;
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

std::optional<ImportedMemory> import_memory(const SharedMemory& memory, int id, std::string* reason) {
  check_memory(memory);
  Device& home = device(id);
  std::string unused;
  std::string& why = reason != nullptr ? *reason : unused;
  const int owner = device_named(memory.device);
  // Asked also because it enables peer access for good: opening a mapping enables it as well, but only until
  // the last mapping is closed.
  if (owner >= 0 && !home.can_reach(owner)) {
    why = "device " + std::to_string(id) + " cannot reach device " + std::to_string(owner);
    return std::nullopt;
  }
  if (memory.process == this_process()) {
    const auto address =
        static_cast<std::uintptr_t>(memory.base) + static_cast<std::uintptr_t>(memory.offset);
    return ImportedMemory(reinterpret_cast<std::byte*>(address), owner, nullptr);
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
