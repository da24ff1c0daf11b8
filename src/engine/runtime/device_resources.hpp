// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/device.hpp"
#include "engine/runtime/stream.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace typewarp::gpu {

/// Lets a scope allocate, wait and free while a stream is being captured into a graph.
class RelaxedCapture {
 public:
  RelaxedCapture() noexcept;
  RelaxedCapture& operator=(RelaxedCapture&&) = delete;
  ~RelaxedCapture();

 private:
  int mode_;  ///< the runtime's word for what the thread had before
};

/// One allocation of device memory, in a list so that handing it on allocates nothing.
struct DeviceBlock {
  void* address;
  std::int64_t bytes;
};
using DeviceBlocks = std::list<DeviceBlock>;

class Launcher;
struct PooledEvent;

/// What one device offers.
struct DeviceLimits {
  explicit DeviceLimits(int device);

  int multiprocessors;
  int threads_of_multiprocessor;
  int warp;                      ///< threads that run in step
  int shared_of_block;           ///< bytes of shared memory that a block may have at most,
  int shared_of_multiprocessor;  ///< that all blocks of a multiprocessor may have,
  int shared_of_system;          ///< and that the system takes of it for each block
  bool host_pointers_usable;     ///< whether kernels may use host addresses of registered memory as they are
  bool kernels_have_priorities;  ///< whether one may have another priority than its stream
  /// Whether kernels can wait for the one ahead of them themselves, and so begin before it ends: a matter of
  /// the code that the device has been given, so known once that is loaded.
  bool launches_overlap = false;
};

/// What the engine keeps for one device, for the life of the process: nothing here is ever destroyed, because
/// plans and buffers with static storage may outlive the runtime.
class Device {
 public:
  static constexpr std::int64_t retired_limit = std::int64_t{64} << 20;

  explicit Device(int id);
  ~Device();

  /// Makes the device ready for launches: the first call loads the kernels, which may wait for the device.
  void prepare();

  int id() const noexcept { return id_; }
  int multiprocessors() const noexcept { return limits_.multiprocessors; }
  int warp() const noexcept { return limits_.warp; }
  /// Bytes of shared memory that a block may have at most, which is more than unasked.
  int shared_of_block() const noexcept { return limits_.shared_of_block; }
  /// Bytes of shared memory of which `blocks` blocks of `threads` threads have all that a multiprocessor has;
  /// 0 where no more blocks would run anyway. So its first-level cache is as small as can be, which bounds
  /// how many loads are in flight. With just enough to keep other blocks out, moves took the memory as much
  /// as without any (docs/internals/protocols.md).
  std::size_t reservation(int blocks, int threads) const noexcept;
  bool kernels_have_priorities() const noexcept { return limits_.kernels_have_priorities; }
  /// Precondition: prepare() was called.
  bool launches_overlap() const noexcept { return limits_.launches_overlap; }
  /// The address by which kernels reach `base`, which differs for host memory registered on some systems.
  std::byte* address_of(std::byte* base) const;

  /// What kernels on this device are launched by.
  Launcher& launcher() noexcept { return *launcher_; }

  /// A stream that orders with no other, for work of the library's own: of the usual priority, which is the
  /// lowest, or of the highest.
  Stream private_stream(StreamRole role = StreamRole::preparation, bool usual = true);

  /// Whether kernels of this device may touch plain allocations of `other` that this process made; enables
  /// peer access on first use, for which the runtime makes a context on `other` too.
  bool can_reach(int other);
  /// Whether they may once they are mapped for this device. Makes no context.
  bool can_map(int other);

  /// A list of one block, a plain allocation. Waits for no stream, unless retired memory has to be freed
  /// first: where more than `retired_limit` bytes have gathered, or no other memory is left. Other threads do
  /// not wait for that unless they free too.
  DeviceBlocks allocate(std::int64_t bytes);
  /// Takes back what kernels in flight may still read, to be freed by a later allocate(). Does not
  /// call the runtime, so that dropping a plan waits for nothing.
  void retire(DeviceBlocks blocks) noexcept;
  /// What waits to be freed: `retired_limit` and the last block retired, at most.
  std::int64_t retired_bytes();

  PooledEvent* acquire_event();
  void release_event(PooledEvent* event) noexcept;

 private:
  enum class Peer : std::int8_t { unknown, unreachable, mappable, reachable };

  /// Waits for the device. Returns only when another thread's call, too, has freed what it took.
  void free_retired();

  int id_;
  DeviceLimits limits_;
  std::unique_ptr<Launcher> launcher_;
  std::array<std::atomic<Peer>, 64> peers_{};
  std::once_flag prepared_;
  std::mutex freeing_;  ///< held while retired memory is freed; taken before mutex_
  std::mutex mutex_;    ///< guards what follows
  std::array<Stream, 2 * stream_roles> private_streams_{};
  DeviceBlocks retired_;
  std::int64_t retired_bytes_ = 0;
  PooledEvent* events_ = nullptr;
};

/// Owns one allocation of a device, and retires it.
class DeviceMemory {
 public:
  DeviceMemory(Device& home, std::int64_t bytes) : home_(home), blocks_(home.allocate(bytes)) {}
  DeviceMemory& operator=(DeviceMemory&&) = delete;
  ~DeviceMemory() { home_.retire(std::move(blocks_)); }

  std::byte* data() const noexcept { return static_cast<std::byte*>(blocks_.front().address); }

 private:
  Device& home_;
  DeviceBlocks blocks_;
};

/// Bytes on their way into memory of a device.
struct Upload {
  std::byte* to;
  const void* from;
  std::size_t bytes;
};
/// Copies them from host memory. Returns when all are there. The device is current.
void upload(Device& device, std::span<const Upload> parts);

/// 10 * major + minor of the oldest device that the compiled kernels run on.
int lowest_compute_capability() noexcept;

/// Devices of the process; 0 without a usable one. Asked once.
int device_count() noexcept;

/// What there is one of for each device: made on first use, and never destroyed.
template <typename Kept>
Kept& kept(int device) {
  static const auto& all = *[] {
    auto made = std::make_unique<std::vector<std::unique_ptr<Kept>>>();
    for (int id = 0; id < device_count(); ++id) made->push_back(std::make_unique<Kept>(id));
    return made.release();
  }();
  return *all.at(static_cast<std::size_t>(device));
}

/// Throws InvalidArgument for a device that is not there.
Device& device(int id);

}  // namespace typewarp::gpu
