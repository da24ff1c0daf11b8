// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/device_resources.hpp"

#include "engine/runtime/cuda/completion_counter.hpp"
#include "engine/runtime/cuda/context.hpp"
#include "engine/runtime/cuda/launcher.hpp"
#include "engine/runtime/enqueue.hpp"
#include "engine/runtime/device.hpp"
#include "engine/runtime/share.hpp"

#include <algorithm>
#include <string>

namespace typewarp::gpu {
namespace {

int attribute(cudaDeviceAttr which, int id) {
  int value = 0;
  TYPEWARP_CUDA(cudaDeviceGetAttribute(&value, which, id));
  return value;
}

int runtime_version() {
  int version = 0;
  TYPEWARP_CUDA(cudaRuntimeGetVersion(&version));
  return version;
}
/// The runtime that brought them.
constexpr int priorities_since = 11070;

bool usable(int id) {
  return 10 * attribute(cudaDevAttrComputeCapabilityMajor, id) +
             attribute(cudaDevAttrComputeCapabilityMinor, id) >=
         lowest_compute_capability();
}

int count_devices() noexcept {
  try {
    int count = 0;
    TYPEWARP_CUDA(cudaGetDeviceCount(&count));
    bool any = false;
    for (int id = 0; id < count; ++id) any = any || usable(id);
    return any ? count : 0;
  } catch (const std::exception&) {
    return 0;  // no driver, no device, or one that does not answer: the library works on the host alone
  }
}

}  // namespace

DeviceLimits::DeviceLimits(int device)
    : multiprocessors(attribute(cudaDevAttrMultiProcessorCount, device)),
      threads_of_multiprocessor(attribute(cudaDevAttrMaxThreadsPerMultiProcessor, device)),
      warp(attribute(cudaDevAttrWarpSize, device)),
      shared_of_block(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device)),
      shared_of_multiprocessor(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, device)),
      shared_of_system(attribute(cudaDevAttrReservedSharedMemoryPerBlock, device)),
      host_pointers_usable(attribute(cudaDevAttrCanUseHostPointerForRegisteredMem, device) != 0),
      kernels_have_priorities(runtime_version() >= priorities_since) {}

DeviceGuard::DeviceGuard(int device) {
  TYPEWARP_CUDA(cudaGetDevice(&previous_));
  context_ = context_beside_primary(previous_);
  if (context_ == nullptr) {
    if (previous_ == device) {
      previous_ = none;
    } else {
      TYPEWARP_CUDA(cudaSetDevice(device));
    }
    return;
  }
  const RelaxedCapture relaxed;
  const cudaEvent_t before = behind_default_stream();
  try {
    TYPEWARP_CUDA(cudaSetDevice(device));
    follow_by_default_stream(before);
  } catch (...) {
    make_context_current(context_);
    throw;
  }
}

DeviceGuard::~DeviceGuard() {
  if (context_ == nullptr) {
    if (previous_ != none) ignore(cudaSetDevice(previous_));
    return;
  }
  const RelaxedCapture relaxed;
  try {
    const cudaEvent_t behind = behind_default_stream();
    make_context_current(context_);
    follow_by_default_stream(behind);
  } catch (const GpuError&) {
    make_context_current(context_);  // a device that fails tells it again
  }
}

RelaxedCapture::RelaxedCapture() noexcept {
  auto mode = cudaStreamCaptureModeRelaxed;
  ignore(cudaThreadExchangeStreamCaptureMode(&mode));
  mode_ = static_cast<int>(mode);
}

RelaxedCapture::~RelaxedCapture() {
  auto mode = static_cast<cudaStreamCaptureMode>(mode_);
  ignore(cudaThreadExchangeStreamCaptureMode(&mode));
}

Device::Device(int id) : id_(id), limits_(id), launcher_(std::make_unique<Launcher>()) {}

Device::~Device() = default;

int load_kernel(const void* kernel, int shared) {
  if (shared > 0) {
    TYPEWARP_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  }
  cudaFuncAttributes attributes{};
  TYPEWARP_CUDA(cudaFuncGetAttributes(&attributes, kernel));
  return attributes.ptxVersion;
}

void Device::prepare() {
  std::call_once(prepared_, [this] {
    const DeviceGuard guard(id_);
    const RelaxedCapture relaxed;
    KernelLoader::load_all(*this);
    limits_.launches_overlap = kernels_can_wait();
    CompletionCounter::prepare(id_);
  });
}

std::size_t Device::reservation(int blocks, int threads) const noexcept {
  constexpr int unit = 1024;
  if (blocks * threads >= limits_.threads_of_multiprocessor) return 0;
  const int share = limits_.shared_of_multiprocessor / blocks - limits_.shared_of_system;
  return static_cast<std::size_t>(std::clamp(share / unit * unit, 0, limits_.shared_of_block));
}

std::byte* Device::address_of(std::byte* base) const {
  if (limits_.host_pointers_usable) return base;
  cudaPointerAttributes attributes{};
  TYPEWARP_CUDA(cudaPointerGetAttributes(&attributes, base));
  return attributes.type == cudaMemoryTypeHost ? static_cast<std::byte*>(attributes.devicePointer) : base;
}

Stream Device::private_stream(StreamRole role, bool usual) {
  const std::lock_guard lock(mutex_);
  Stream& stream = private_streams_[2 * static_cast<std::size_t>(role) + (usual ? 1 : 0)];
  if (stream == nullptr) {
    const DeviceGuard guard(id_);
    const RelaxedCapture relaxed;
    const int priority = usual ? 0 : highest_priority();
    cudaStream_t made = nullptr;
    TYPEWARP_CUDA(cudaStreamCreateWithPriority(&made, cudaStreamNonBlocking, priority));
    stream = made;
  }
  return stream;
}

bool Device::can_map(int other) {
  if (other == id_) return true;
  if (other < 0 || other >= std::min(device_count(), static_cast<int>(peers_.size()))) return false;
  std::atomic<Peer>& peer = peers_[static_cast<std::size_t>(other)];
  if (peer.load(std::memory_order_acquire) == Peer::unknown) {
    int possible = 0;
    TYPEWARP_CUDA(cudaDeviceCanAccessPeer(&possible, id_, other));
    Peer unknown = Peer::unknown;
    peer.compare_exchange_strong(unknown, possible != 0 ? Peer::mappable : Peer::unreachable);
  }
  return peer != Peer::unreachable;
}

bool Device::can_reach(int other) {
  if (!can_map(other)) return false;
  if (other == id_) return true;
  std::atomic<Peer>& peer = peers_[static_cast<std::size_t>(other)];
  if (peer.load(std::memory_order_acquire) == Peer::reachable) return true;
  const DeviceGuard guard(id_);
  const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled) {
    ignore(status);
    if (imports().open > 0) return true;  // by a mapping perhaps, which ends it when it is closed
  } else {
    check(status, "cudaDeviceEnablePeerAccess(other, 0)");
  }
  peer.store(Peer::reachable, std::memory_order_release);
  return true;
}

DeviceBlocks Device::allocate(std::int64_t bytes) {
  const DeviceGuard guard(id_);
  const RelaxedCapture relaxed;
  if (retired_bytes() > retired_limit) free_retired();
  DeviceBlocks blocks(1, DeviceBlock{nullptr, bytes});
  void*& address = blocks.front().address;
  cudaError_t status = cudaMalloc(&address, static_cast<std::size_t>(bytes));
  if (status == cudaErrorMemoryAllocation) {
    ignore(status);
    free_retired();
    status = cudaMalloc(&address, static_cast<std::size_t>(bytes));
  }
  check(status, "cudaMalloc(&address, bytes)");
  return blocks;
}

void Device::retire(DeviceBlocks blocks) noexcept {
  const std::lock_guard lock(mutex_);
  for (const DeviceBlock& block : blocks) retired_bytes_ += block.bytes;
  retired_.splice(retired_.end(), blocks);
}

std::int64_t Device::retired_bytes() {
  const std::lock_guard lock(mutex_);
  return retired_bytes_;
}

void Device::free_retired() {
  const std::lock_guard freeing(freeing_);
  DeviceBlocks blocks;
  {
    const std::lock_guard lock(mutex_);
    blocks.swap(retired_);
    retired_bytes_ = 0;
  }
  try {
    while (!blocks.empty()) {
      // Waits for the device, so no kernel can still be reading.
      TYPEWARP_CUDA(cudaFree(blocks.front().address));
      blocks.pop_front();
    }
  } catch (...) {
    retire(std::move(blocks));
    throw;
  }
}

PooledEvent* Device::acquire_event() {
  {
    const std::lock_guard lock(mutex_);
    if (events_ != nullptr) {
      PooledEvent* event = events_;
      events_ = event->next;
      return event;
    }
  }
  const DeviceGuard guard(id_);
  auto event = std::make_unique<PooledEvent>(PooledEvent{nullptr, id_, nullptr, nullptr});
  TYPEWARP_CUDA(cudaEventCreateWithFlags(&event->handle, cudaEventDisableTiming));
  return event.release();
}

void Device::release_event(PooledEvent* event) noexcept {
  const std::lock_guard lock(mutex_);
  event->next = events_;
  events_ = event;
}

void upload(Device& device, std::span<const Upload> parts) {
  const RelaxedCapture relaxed;
  const Stream stream = device.private_stream();
  for (const Upload& part : parts) {
    if (part.bytes == 0) continue;
    TYPEWARP_CUDA(cudaMemcpyAsync(part.to, part.from, part.bytes, cudaMemcpyHostToDevice, stream));
  }
  TYPEWARP_CUDA(cudaStreamSynchronize(stream));
}

int device_count() noexcept {
  static const int count = count_devices();
  return count;
}

Device& device(int id) {
  if (id < 0 || id >= device_count()) {
    throw InvalidArgument("typewarp::gpu", "device", id,
                          "must be one of the " + std::to_string(device_count()) + " devices present");
  }
  return kept<Device>(id);
}

int current_device() {
  int device = 0;
  TYPEWARP_CUDA(cudaGetDevice(&device));
  return device;
}

void make_current(int device) { TYPEWARP_CUDA(cudaSetDevice(device)); }

bool built() noexcept { return true; }

bool present() noexcept { return device_count() > 0; }

bool can_reach(int from, int to) { return device(from).can_reach(to); }

}  // namespace typewarp::gpu
