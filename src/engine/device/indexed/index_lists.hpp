// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/indexed/table.hpp"
#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/event.hpp"
#include "engine/runtime/memory.hpp"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace typewarp::gpu {

/// Memory of lists on their way from the host to a device.
struct ListSlot {
  explicit ListSlot(int device) : read(device) {}

  Event read;  ///< that kernels have read the last lists
  PinnedBuffer on_host;
  std::optional<DeviceMemory> on_device;
  std::int64_t room = 0;
  bool taken = false;  ///< then its other members are the taker's

  void reserve(Device& home, std::int64_t bytes);
};

/// What copies by lists need on a device beyond the life of an object, since their kernels may still run when
/// it is gone. Thread safe.
class IndexLists {
 public:
  /// Calls under way whose lists were on the host; one more waits for the oldest.
  static constexpr std::size_t most_under_way = 32;

  explicit IndexLists(int device) : device_(device) {}

  /// Loads kernels and allocates for the first calls, once.
  void prepare();

  /// Calls `fill` with a slot of so many bytes, which nothing uses. What it enqueues is followed by the
  /// slot's event. Allocates where no idle slot has so much room.
  template <typename Fill>
  void with_slot(std::int64_t bytes, Fill&& fill) {
    ListSlot& slot = take(bytes);
    try {
      if (!slot.read.done()) slot.read.wait();
      slot.reserve(device(device_), bytes);
      fill(slot);
    } catch (...) {
      give_back(slot);
      throw;
    }
    give_back(slot);
  }

  /// A note that `owner`, a number of its own, waits for.
  WrongIndexNote& take_note(std::uint64_t owner);
  void give_back(WrongIndexNote& note) noexcept;
  /// No number comes twice. From 1 on.
  std::uint64_t next_number() noexcept { return ++last_number_; }

 private:
  static constexpr std::size_t notes_at_once = 64;

  ListSlot& take(std::int64_t bytes);
  ListSlot* idle(std::int64_t bytes) const;
  void give_back(ListSlot& slot) noexcept;

  int device_;
  std::once_flag prepared_;
  std::atomic<std::uint64_t> last_number_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<ListSlot>> slots_;  ///< the one that was taken longest ago first
  std::vector<PinnedBuffer> note_memory_;
  std::deque<WrongIndexNote*> notes_;  ///< that nobody has, the one that was given back longest ago first
};

}  // namespace typewarp::gpu
