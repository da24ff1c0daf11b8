// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/indexed/index_lists.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

namespace typewarp::gpu {

void ListSlot::reserve(Device& home, std::int64_t bytes) {
  if (bytes <= room) return;
  const auto more = static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 4096))));
  room = 0;
  on_host = PinnedBuffer(more);
  on_device.emplace(home, more);
  room = more;
}

ListSlot& IndexLists::take(std::int64_t bytes) {
  std::unique_lock lock(mutex_);
  ListSlot* slot = idle(bytes);
  std::int64_t under_way = 0;
  for (const auto& other : slots_) under_way += other->room;
  if (slot == nullptr && under_way + bytes > most_under_way) {
    const auto oldest = std::ranges::find(slots_, false, &ListSlot::taken);
    if (oldest != slots_.end()) {
      slot = oldest->get();
      slot->taken = true;
      lock.unlock();
      slot->read.wait();
      lock.lock();
    }
  }
  if (slot == nullptr) slot = slots_.emplace_back(std::make_unique<ListSlot>(device_)).get();
  slot->taken = true;
  const auto place = std::ranges::find(slots_, slot, &std::unique_ptr<ListSlot>::get);
  std::rotate(place, place + 1, slots_.end());
  return *slot;
}

/// One with room, or else any.
ListSlot* IndexLists::idle(std::int64_t bytes) const {
  ListSlot* found = nullptr;
  for (const auto& slot : slots_) {
    if (slot->taken || !slot->read.done()) continue;
    if (slot->room >= bytes) return slot.get();
    found = slot.get();
  }
  return found;
}

void IndexLists::give_back(ListSlot& slot) noexcept {
  const std::lock_guard lock(mutex_);
  slot.taken = false;
}

WrongIndexNote& IndexLists::take_note(std::uint64_t owner) {
  const std::lock_guard lock(mutex_);
  if (notes_.empty()) {
    constexpr std::size_t bytes = notes_at_once * sizeof(WrongIndexNote);
    notes_.reserve((note_memory_.size() + 1) * notes_at_once);
    PinnedBuffer& memory = note_memory_.emplace_back(static_cast<std::int64_t>(bytes));
    for (std::size_t i = 0; i < notes_at_once; ++i)
      notes_.push_back(new (memory.data() + i * sizeof(WrongIndexNote)) WrongIndexNote{});
  }
  WrongIndexNote& note = *notes_.back();
  notes_.pop_back();
  std::atomic_ref(note.number).store(next_number());
  std::atomic_ref(note.owner).store(owner);
  return note;
}

void IndexLists::give_back(WrongIndexNote& note) noexcept {
  const std::lock_guard lock(mutex_);
  std::atomic_ref(note.owner).store(0);
  notes_.push_back(&note);
}

}  // namespace typewarp::gpu
