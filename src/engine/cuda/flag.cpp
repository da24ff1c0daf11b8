// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/flag.hpp"

#include "engine/cuda/cuda.hpp"
#include "engine/cuda/device.hpp"

#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace typewarp::cuda {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t slot_bytes = 64;  // a cache line: two hosts that poll do not disturb each other

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
      auto* const counter = reinterpret_cast<std::uint64_t*>(counters.data() + offset);
      slot = {reached, counter, programmatic, 0, std::exchange(last, &slot)};
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
    FlagSlot** place = &idle_;
    while (*place != nullptr && !settled(**place)) place = &(*place)->next;
    if (*place == nullptr) {
      add_page();
      place = &idle_;
    }
    FlagSlot* const slot = *place;
    *place = slot->next;
    return slot;
  }

  void give(FlagSlot* slot) noexcept {
    const std::lock_guard lock(mutex_);
    slot->next = idle_;
    idle_ = slot;
  }

 private:
  /// Whether no kernel of the last owner will count any more.
  static bool settled(const FlagSlot& slot) { return slot.reached->load() == slot.expected; }

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

Flag::~Flag() { slots(device_).give(slot_); }

std::unique_ptr<Graph> Flag::record(const std::function<void()>& enqueue, bool& counted) const {
  auto* const reached = reinterpret_cast<std::uint64_t*>(slot_->reached);
  auto graph = std::make_unique<Graph>(enqueue, Tally{slot_->counter, reached});
  counted = true;
  if (graph->counts_last()) return graph;
  if (graph->counts()) graph = std::make_unique<Graph>(enqueue);
  counted = graph->is_one_kernel();
  if (counted) append_count(*graph, slot_->counter, reached, slot_->programmatic);
  return graph;
}

}  // namespace typewarp::cuda
