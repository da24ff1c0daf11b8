// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/flag.hpp"

#include "engine/cuda/cuda.hpp"
#include "engine/cuda/device.hpp"
#include "engine/cuda/driver.hpp"

#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace typewarp::cuda {
namespace {

constexpr std::size_t page_bytes = std::size_t{64} << 10;
constexpr std::size_t slot_bytes = 64;  // a cache line: two hosts that poll do not disturb each other

/// How a host waits for a flag.
struct PollPolicy {
  /// Time between two questions to CUDA (about 1 us each) whether the device has failed: no flag comes then.
  std::chrono::microseconds between_checks{500};
};
constexpr PollPolicy poll_policy;

/// Every stream reports what failed on its device: the caller's need not live any more.
void check_alive(Device& home) {
  const RelaxedCapture relaxed;
  const cudaError_t status = cudaStreamQuery(home.private_stream());
  if (status == cudaErrorNotReady) return ignore(status);
  check(status, "cudaStreamQuery(stream)");
}

/// Slots that are allocated together.
struct Page {
  /// All of them follow each other, `last` after them.
  Page(int device_id, FlagSlot* last)
      : host(static_cast<std::int64_t>(page_bytes)),
        counters(device(device_id), static_cast<std::int64_t>(page_bytes)) {
    const bool programmatic = load_count();
    const cudaStream_t stream = device(device_id).private_stream();
    TYPEWARP_CUDA(cudaMemsetAsync(counters.data(), 0, page_bytes, stream));
    TYPEWARP_CUDA(cudaStreamSynchronize(stream));
    std::size_t offset = 0;
    for (FlagSlot& slot : slots) {
      auto* const reached = new (host.data() + offset) std::atomic<std::uint64_t>(0);
      auto* const passed = new (host.data() + offset + sizeof(*reached)) std::atomic<std::uint64_t>(0);
      auto* const counter = reinterpret_cast<std::uint64_t*>(counters.data() + offset);
      slot = {reached, passed, counter, programmatic, 0, 0, std::exchange(last, &slot)};
      offset += slot_bytes;
    }
  }

  PinnedBuffer host;
  DeviceMemory counters;
  std::array<FlagSlot, page_bytes / slot_bytes> slots{};
};

/// The slots of one device. Never destroyed: kernels may still count, and flags with static storage may
/// outlive the CUDA runtime.
class FlagSlots {
 public:
  explicit FlagSlots(int device) : device_(device) {}

  FlagSlot* take() {
    const std::lock_guard lock(mutex_);
    FlagSlot* slot = take_ready();
    if (slot == nullptr) {
      add_page();
      slot = take_ready();
    }
    return slot;
  }

  /// Null if there is none without another page.
  FlagSlot* try_take() {
    const std::lock_guard lock(mutex_);
    return take_ready();
  }

  void prepare() {
    const std::lock_guard lock(mutex_);
    if (pages_.empty()) add_page();
  }

  void give(FlagSlot* slot) noexcept {
    const std::lock_guard lock(mutex_);
    slot->next = idle_;
    idle_ = slot;
  }

 private:
  FlagSlot* take_ready() {
    FlagSlot** place = &idle_;
    // Of the others the last owner's kernels may still count.
    while (*place != nullptr && !(*place)->settled()) place = &(*place)->next;
    FlagSlot* const slot = *place;
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
  FlagSlot* idle_ = nullptr;
  std::list<Page> pages_;
};

FlagSlots& slots(int device_id) {
  static const auto& all = *[] {
    auto made = std::make_unique<std::vector<std::unique_ptr<FlagSlots>>>();
    for (int id = 0; id < device_count(); ++id) made->push_back(std::make_unique<FlagSlots>(id));
    return made.release();
  }();
  return *all.at(static_cast<std::size_t>(device_id));
}

}  // namespace

Flag::Flag(int device_id) : device_(device_id), slot_(slots(device_id).take()) {}

void Flag::prepare(int device_id) { slots(device_id).prepare(); }

std::unique_ptr<Flag> Flag::ready_one(int device_id) {
  FlagSlot* const slot = slots(device_id).try_take();
  return slot == nullptr ? nullptr : std::unique_ptr<Flag>(new Flag(device_id, slot));
}

Flag::~Flag() { slots(device_).give(slot_); }

bool Flag::mark(cudaStream_t stream) {
  using Write = PFN_cuStreamWriteValue64_v11070;
  static const auto write = driver_entry<Write>("cuStreamWriteValue64", 11070);
  if (write == nullptr) return false;
  const auto place = static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(slot_->passed));
  const CUresult status = write(stream, place, slot_->marks + 1, CU_STREAM_WRITE_VALUE_DEFAULT);
  if (status == CUDA_ERROR_NOT_SUPPORTED) return false;
  if (status != CUDA_SUCCESS)
    throw CudaError("cuStreamWriteValue64(stream, passed)", status, "the driver refuses it");
  ++slot_->marks;
  asked_ = Clock::now();
  return true;
}

bool Flag::poll() {
  if (reached()) return true;
  const Clock::time_point now = Clock::now();
  if (now - asked_ >= poll_policy.between_checks) {
    asked_ = now;
    check_alive(device(device_));
  }
  return false;
}

std::unique_ptr<Graph> Flag::record(const std::function<void()>& enqueue, bool& counted) const {
  auto graph = std::make_unique<Graph>(enqueue, tally());
  counted = true;
  if (graph->counts_last()) return graph;
  if (graph->counts()) graph = std::make_unique<Graph>(enqueue);
  counted = graph->is_one_kernel();
  if (counted) append_count(*graph, tally(), slot_->programmatic);
  return graph;
}

}  // namespace typewarp::cuda
