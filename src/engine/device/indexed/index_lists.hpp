// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/indexed/table.hpp"
#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/event.hpp"
#include "engine/runtime/memory.hpp"

#include <atomic>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace typewarp::gpu {

/// Memory of lists that come from the host to a device.
struct ListSlot {
  explicit ListSlot(int device) : read(device) {}

  Event read;  ///< that the last lists have been read, there or on the device
  PinnedBuffer on_host;
  std::optional<DeviceMemory> on_device;
  std::int64_t room = 0;

  void reserve(int device, std::int64_t bytes);
  /// Enqueues the copy of what is on the host to the device.
  void copy(std::int64_t bytes, const LaunchContext& context);
};
using ListSlots = std::list<ListSlot>;  ///< so that handing one on allocates nothing

/// What copies by lists need on a device beyond the life of an object, since their kernels may still run when
/// it is gone. Thread safe.
class IndexLists {
 public:
  /// Slots that nobody has. Where all of these are in use, a call with lists on the host waits for the
  /// oldest; those given back beyond them are freed.
  static constexpr std::size_t most_idle = 32;

  explicit IndexLists(int device) : device_(device) {}

  int device() const noexcept { return device_; }

  /// Loads kernels and allocates for the first calls, once.
  void prepare();

  /// The slot that suits so many bytes best, as a list of one. With `may_wait`, work that is under way may
  /// still use it.
  ListSlots take(std::int64_t bytes, bool may_wait);
  void give_back(ListSlots& taken) noexcept;

  /// A note that `owner`, a number of its own, waits for.
  WrongIndexNote& take_note(std::uint64_t owner);
  void give_back(WrongIndexNote& note) noexcept;
  /// No number comes twice. From 1 on.
  std::uint64_t next_number() noexcept { return ++last_number_; }

 private:
  static constexpr std::size_t notes_at_once = 64;

  ListSlots::iterator idle(std::int64_t bytes);

  int device_;
  std::once_flag prepared_;
  std::atomic<std::uint64_t> last_number_ = 0;
  std::mutex mutex_;
  ListSlots slots_;  ///< that nobody has, the one that was given back longest ago first
  std::vector<PinnedBuffer> note_memory_;
  std::deque<WrongIndexNote*> notes_;  ///< that nobody has, the one that was given back longest ago first
};

/// A slot of so many bytes, which nothing else uses. What its taker enqueues must be followed by its event.
class TakenSlot {
 public:
  /// Allocates where no idle slot has so much room; with `may_wait`, waits where 32 are in use.
  TakenSlot(IndexLists& lists, std::int64_t bytes, bool may_wait);
  TakenSlot& operator=(TakenSlot&&) = delete;
  ~TakenSlot() { lists_.give_back(slot_); }

  ListSlot& get() noexcept { return slot_.front(); }

 private:
  IndexLists& lists_;
  ListSlots slot_;
};

}  // namespace typewarp::gpu
