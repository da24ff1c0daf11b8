// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include "arena.hpp"
#include "streams.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace emulated {
namespace {

using Origin = Allocation::Origin;
constexpr std::size_t page = 4096;

struct Memory {
  std::mutex mutex;
  std::map<const std::byte*, Allocation> all;
  std::map<int, Arena> arenas;
  std::uint64_t numbers = 0;
};
Memory& memory() {
  static Memory& one = *new Memory;
  return one;
}

Arena& arena(int device) {
  const Lock lock(memory().mutex);
  return memory().arenas[device];
}

void* keep(void* base, std::size_t bytes, cudaMemoryType type, Origin origin,
           int device = of_thread().device) {
  const Lock lock(memory().mutex);
  auto* const first = static_cast<std::byte*>(base);
  memory().all[first] = {first, bytes, type, device, of_thread().context, ++memory().numbers, origin};
  return base;
}

/// Takes it out. Fails for what does not begin an allocation of that origin.
Allocation forget(void* base, bool (*is_such)(Origin)) {
  const Lock lock(memory().mutex);
  const auto found = memory().all.find(static_cast<std::byte*>(base));
  require(found != memory().all.end() && is_such(found->second.origin));
  const Allocation allocation = found->second;
  memory().all.erase(found);
  return allocation;
}

void* take_host(std::size_t bytes) {
  require(bytes < Arena::bytes, cudaErrorMemoryAllocation);
  void* const taken = std::aligned_alloc(page, (bytes + page - 1) / page * page);
  if (taken == nullptr) throw std::bad_alloc();
  return taken;
}

void release(const Allocation& allocation) {
  switch (allocation.origin) {
    case Origin::plain:
    case Origin::pool:
      return arena(allocation.device).give(allocation.base);
    case Origin::host:
      return std::free(allocation.base);
    default:
      return;
  }
}

bool is_of_device(Origin origin) { return origin == Origin::plain || origin == Origin::pool; }

/// What a handle between processes says.
struct Handle {
  int process, file;
  std::size_t offset, bytes;
};
static_assert(sizeof(Handle) <= sizeof(cudaIpcMemHandle_t));

}  // namespace

void free_all_of(CUctx_st* context) {
  const Lock lock(memory().mutex);
  std::erase_if(memory().all, [&](const auto& each) {
    const bool goes = each.second.context == context;
    if (goes) release(each.second);
    return goes;
  });
}

std::optional<Allocation> allocation_of(const void* address) {
  const Lock lock(memory().mutex);
  const auto* const place = static_cast<const std::byte*>(address);
  const auto after = memory().all.upper_bound(place);
  if (after == memory().all.begin()) return {};
  const Allocation& found = std::prev(after)->second;
  if (place >= found.base + found.bytes) return {};
  return found;
}

}  // namespace emulated

using namespace emulated;

cudaError_t cudaMalloc(void** taken, size_t bytes) {
  return call([&] {
    forbid_while_captured();
    *taken = keep(arena(of_thread().device).take(bytes), bytes, cudaMemoryTypeDevice, Origin::plain);
  });
}

cudaError_t cudaMallocAsync(void** taken, size_t bytes, cudaStream_t) {
  return call([&] {
    *taken = keep(arena(of_thread().device).take(bytes), bytes, cudaMemoryTypeDevice, Origin::pool);
  });
}

cudaError_t cudaMallocManaged(void** taken, size_t bytes, unsigned) {
  return call([&] {
    forbid_while_captured();
    *taken = keep(take_host(bytes), bytes, cudaMemoryTypeManaged, Origin::host);
  });
}

cudaError_t cudaHostAlloc(void** taken, size_t bytes, unsigned) {
  return call([&] {
    forbid_while_captured();
    *taken = keep(take_host(bytes), bytes, cudaMemoryTypeHost, Origin::host);
  });
}

cudaError_t cudaMallocHost(void** taken, size_t bytes) {
  return cudaHostAlloc(taken, bytes, cudaHostAllocDefault);
}

cudaError_t cudaHostRegister(void* given, size_t bytes, unsigned) {
  return call([&] { keep(given, bytes, cudaMemoryTypeHost, Origin::registered); });
}

cudaError_t cudaHostUnregister(void* given) {
  return call([&] {
    wait_for_device(of_thread().device);
    forget(given, [](Origin origin) { return origin == Origin::registered; });
  });
}

cudaError_t cudaFree(void* given) {
  return call([&] {
    if (given == nullptr) return;
    forbid_while_captured();
    wait_for_device(allocation_of(given).value_or(Allocation{}).device);
    release(forget(given, [](Origin origin) { return is_of_device(origin) || origin == Origin::host; }));
  });
}

cudaError_t cudaFreeHost(void* given) {
  return call([&] {
    if (given == nullptr) return;
    forbid_while_captured();
    for (int device = 0; device < device_count(); ++device) wait_for_device(device);
    release(forget(given, [](Origin origin) { return origin == Origin::host; }));
  });
}

cudaError_t cudaFreeAsync(void* given, cudaStream_t stream) {
  return call([&] { submit(stream, [allocation = forget(given, is_of_device)] { release(allocation); }); });
}

cudaError_t cudaMemGetInfo(size_t* unused, size_t* all) {
  return call([&] {
    *all = Arena::bytes;
    *unused = Arena::bytes - arena(of_thread().device).in_use();
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  return call([&] {
    const auto found = allocation_of(address);
    auto* const place = const_cast<void*>(address);
    *attributes = found ? cudaPointerAttributes{found->type, found->device, place, place}
                        : cudaPointerAttributes{cudaMemoryTypeUnregistered, -1, nullptr, place};
  });
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* given) {
  return call([&] {
    const auto found = allocation_of(given);
    require(found && found->origin == Origin::plain);
    const Arena& home = arena(found->device);
    const Handle made{getpid(), home.file(), static_cast<std::size_t>(found->base - home.base()),
                      found->bytes};
    *handle = {};
    std::memcpy(handle->reserved, &made, sizeof(made));
  });
}

cudaError_t cudaIpcOpenMemHandle(void** mapped, cudaIpcMemHandle_t handle, unsigned) {
  return call([&] {
    Handle given;
    std::memcpy(&given, handle.reserved, sizeof(given));
    require(given.process != getpid(), cudaErrorInvalidResourceHandle);
    const std::string path = "/proc/" + std::to_string(given.process) + "/fd/" + std::to_string(given.file);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    require(file >= 0, cudaErrorInvalidResourceHandle);
    const std::size_t skipped = given.offset % page;
    void* const memory = mmap(nullptr, given.bytes + skipped, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                              static_cast<off_t>(given.offset - skipped));
    close(file);
    require(memory != MAP_FAILED, cudaErrorMemoryAllocation);
    *mapped = keep(static_cast<std::byte*>(memory) + skipped, given.bytes, cudaMemoryTypeDevice,
                   Origin::imported, of_thread().device);  // as CUDA says of it
  });
}

cudaError_t cudaIpcCloseMemHandle(void* mapped) {
  return call([&] {
    wait_for_device(of_thread().device);
    const Allocation found = forget(mapped, [](Origin origin) { return origin == Origin::imported; });
    const auto skipped = reinterpret_cast<std::uintptr_t>(found.base) % page;
    munmap(found.base - skipped, found.bytes + skipped);
  });
}
