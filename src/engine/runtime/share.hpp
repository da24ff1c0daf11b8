// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/device.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace typewarp::gpu {

/// Memory of a device as other processes of the host can map it: plain bytes of a fixed size, to travel in a
/// message. Valid until the memory is freed.
struct SharedMemory {
  /// The kind of handle.
  enum class Kind : std::int64_t { ipc = 1 };

  Kind kind;
  std::array<std::uint64_t, 2> process;  ///< which one exports it: drawn at random, once for each
  std::uint64_t allocation;              ///< of that process; never used again for another one
  std::uint64_t base;                    ///< where the allocation begins in that process
  std::int64_t size;                     ///< bytes of the allocation
  std::int64_t offset;                   ///< from the base to the address that was exported
  DeviceName device;
  std::array<std::byte, 64> handle;
};

/// Says how `bytes` bytes from `address` on can be mapped by others: those of plain allocations can. Nothing,
/// with the reason in words, for all other memory and for what is not within one allocation. Waits for
/// nothing. Throws InvalidArgument for negative `bytes`.
std::optional<SharedMemory> export_memory(const void* address, std::int64_t bytes,
                                          std::string* reason = nullptr);

/// The number of the allocation on a device in which `address` lies: no other one of this process ever has
/// it. 0 for all other memory.
std::uint64_t allocation_number(const void* address) noexcept;

/// Whether it is memory of that device of this process.
bool device_has(int device, const SharedMemory& memory);

/// A hold on memory of this or another process. Whatever uses it must be complete before this is destroyed;
/// the mapping itself is kept for the next import.
class ImportedMemory {
 public:
  ImportedMemory(ImportedMemory&& other) noexcept
      : address_(other.address_), device_(other.device_), mapping_(std::exchange(other.mapping_, nullptr)) {}
  ImportedMemory& operator=(ImportedMemory&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(device_, other.device_);
    std::swap(mapping_, other.mapping_);
    return *this;
  }
  ~ImportedMemory();

  /// The exported memory, as addressed by the device that it was imported for.
  std::byte* address() const noexcept { return address_; }
  /// The device that has the memory; -1 if it is none that this process sees.
  int device() const noexcept { return device_; }

 private:
  friend std::optional<ImportedMemory> import_memory(const SharedMemory&, int, std::string*);
  ImportedMemory(std::byte* address, int device, const void* mapping)
      : address_(address), device_(device), mapping_(mapping) {}

  std::byte* address_;
  int device_;
  const void* mapping_;  ///< null for memory of this process
};

/// Makes memory that a process of this host exported addressable by kernels on `device`. An allocation is
/// mapped on first use, for which the driver may wait for the device; later imports do not call it. What the
/// exporter freed and allocated anew is mapped anew. Nothing, with the reason in words, where `device` cannot
/// reach the memory or the driver does not map it. Throws InvalidArgument for what no process exported.
std::optional<ImportedMemory> import_memory(const SharedMemory& memory, int device,
                                            std::string* reason = nullptr);

/// Mappings of other processes' memory.
struct ImportCount {
  std::int64_t open;  ///< of them
  std::int64_t held;  ///< of those that are open, by at least one ImportedMemory
};
ImportCount imports() noexcept;
/// Unmaps what nobody holds, which may wait for the devices: before the processes that exported it end.
void close_imports() noexcept;

}  // namespace typewarp::gpu
