// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/cuda/completion_counter.hpp"

#include "engine/runtime/memory.hpp"
#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/stream.hpp"
#include "engine/runtime/cuda/driver.hpp"

#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

namespace typewarp::gpu {
namespace {

constexpr std::size_t page_bytes = std::size_t{64} << 10;
constexpr std::size_t slot_bytes = 64;  // a cache line: two hosts that poll do not disturb each other

/// How a host waits for a count.
struct PollPolicy {
  /// Time between two questions to CUDA (about 1 us each) whether the device has failed: no count comes then.
  std::chrono::microseconds between_checks{500};
};
constexpr PollPolicy poll_policy;

/// Slots that are allocated together.
struct Page {
  /// All of them follow each other, `last` after them.
  Page(int device_id, CounterSlot* last)
      : host(static_cast<std::int64_t>(page_bytes)),
        counters(device(device_id), static_cast<std::int64_t>(page_bytes)) {
    const cudaStream_t stream = device(device_id).private_stream();
    TYPEWARP_CUDA(cudaMemsetAsync(counters.data(), 0, page_bytes, stream));
    TYPEWARP_CUDA(cudaStreamSynchronize(stream));
    std::size_t offset = 0;
    for (CounterSlot& slot : slots) {
      auto* const reached = new (host.data() + offset) std::atomic<std::uint64_t>(0);
      auto* const passed = new (host.data() + offset + sizeof(*reached)) std::atomic<std::uint64_t>(0);
      auto* const counter = reinterpret_cast<std::uint64_t*>(counters.data() + offset);
      slot = {reached, passed, counter, 0, 0, std::exchange(last, &slot)};
      offset += slot_bytes;
    }
  }

  PinnedBuffer host;
  DeviceMemory counters;
  std::array<CounterSlot, page_bytes / slot_bytes> slots{};
};

/// The slots of one device. Never destroyed: kernels may still count, and counters with static storage may
/// outlive the CUDA runtime.
class CounterSlots {
 public:
  explicit CounterSlots(int device) : device_(device) {}

  CounterSlot* take() {
    const std::lock_guard lock(mutex_);
    CounterSlot* slot = take_ready();
    if (slot == nullptr) {
      add_page();
      slot = take_ready();
    }
    return slot;
  }

  /// Null if there is none without another page.
  CounterSlot* try_take() {
    const std::lock_guard lock(mutex_);
    return take_ready();
  }

  void prepare() {
    const std::lock_guard lock(mutex_);
    if (pages_.empty()) add_page();
  }

  void give(CounterSlot* slot) noexcept {
    const std::lock_guard lock(mutex_);
    slot->next = idle_;
    idle_ = slot;
  }

 private:
  CounterSlot* take_ready() {
    CounterSlot** place = &idle_;
    // Of the others the last owner's kernels may still count.
    while (*place != nullptr && !(*place)->settled()) place = &(*place)->next;
    CounterSlot* const slot = *place;
    if (slot != nullptr) *place = slot->next;
    return slot;
  }

  void add_page() {
    const DeviceGuard guard(device_);
    const RelaxedCapture relaxed;
    idle_ = &pages_.emplace_back(device_, idle_).slots.back();
  }

  int device_;
  std::mutex mutex_;
  CounterSlot* idle_ = nullptr;
  std::list<Page> pages_;
};

}  // namespace

CompletionCounter::CompletionCounter(int device_id)
    : device_(device_id), slot_(kept<CounterSlots>(device_id).take()) {}

void CompletionCounter::prepare(int device_id) { kept<CounterSlots>(device_id).prepare(); }

std::unique_ptr<CompletionCounter> CompletionCounter::ready_one(int device_id) {
  CounterSlot* const slot = kept<CounterSlots>(device_id).try_take();
  return slot == nullptr ? nullptr
                         : std::unique_ptr<CompletionCounter>(new CompletionCounter(device_id, slot));
}

CompletionCounter::~CompletionCounter() { kept<CounterSlots>(device_).give(slot_); }

bool CompletionCounter::mark(cudaStream_t stream) {
  using Write = PFN_cuStreamWriteValue64_v11070;
  static const auto write = driver_entry<Write>("cuStreamWriteValue64", 11070);
  if (write == nullptr) return false;
  const auto place = static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(slot_->passed));
  const CUresult status = write(stream, place, slot_->marks + 1, CU_STREAM_WRITE_VALUE_DEFAULT);
  if (status == CUDA_ERROR_NOT_SUPPORTED) return false;
  if (status != CUDA_SUCCESS)
    throw GpuError("cuStreamWriteValue64(stream, passed)", status, "the driver refuses it");
  ++slot_->marks;
  asked_ = Clock::now();
  return true;
}

bool CompletionCounter::poll() {
  if (reached()) return true;
  const Clock::time_point now = Clock::now();
  if (now - asked_ >= poll_policy.between_checks) {
    asked_ = now;
    check_alive(device_);  // the caller's stream need not live any more
  }
  return false;
}

std::unique_ptr<Graph> CompletionCounter::record(const Enqueue& enqueue, bool& counted) const {
  LaunchCompletion counting(device_, on_device());
  auto graph = counting.record(enqueue);
  counted = counting.last();
  if (!counted && counting.counted()) graph = LaunchCompletion(device_).record(enqueue);
  return graph;
}

}  // namespace typewarp::gpu
