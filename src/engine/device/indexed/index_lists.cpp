// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/indexed/index_lists.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

namespace typewarp::gpu {

void ListSlot::reserve(Device& home, std::int64_t bytes) {
  if (bytes <= room) return;
  const auto more = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
  room = 0;
  on_host = PinnedBuffer(more);
  on_device.emplace(home, more);
  room = more;
}

void IndexLists::prepare() {
  constexpr int at_first = 4;
  constexpr std::int64_t bytes = std::int64_t{64} << 10;
  std::call_once(prepared_, [&] {
    const RelaxedCapture relaxed;
    load_indexed();
    std::vector<std::unique_ptr<ListSlot>> made;
    for (int i = 0; i < at_first; ++i) {
      made.push_back(std::make_unique<ListSlot>(device_));
      made.back()->reserve(device(device_), bytes);
    }
    slots_ = std::move(made);
  });
}

ListSlot& IndexLists::take(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  ListSlot* slot = idle(bytes);
  if (slot == nullptr && slots_.size() >= most_under_way) {
    const auto oldest = std::ranges::find(slots_, false, &ListSlot::taken);
    if (oldest != slots_.end()) slot = oldest->get();
  }
  if (slot == nullptr) slot = slots_.emplace_back(std::make_unique<ListSlot>(device_)).get();
  slot->taken = true;
  const auto place = std::ranges::find(slots_, slot, &std::unique_ptr<ListSlot>::get);
  std::rotate(place, place + 1, slots_.end());
  return *slot;
}

/// The one with the least room that suffices, or else with the most.
ListSlot* IndexLists::idle(std::int64_t bytes) const {
  ListSlot* found = nullptr;
  for (const auto& slot : slots_) {
    if (slot->taken || !slot->read.done()) continue;
    const bool suffices = slot->room >= bytes;
    const bool is_better = found == nullptr || (suffices ? found->room < bytes || slot->room < found->room
                                                         : slot->room > found->room);
    if (is_better) found = slot.get();
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
    PinnedBuffer& memory = note_memory_.emplace_back(static_cast<std::int64_t>(bytes));
    for (std::size_t i = 0; i < notes_at_once; ++i)
      notes_.push_back(new (memory.data() + i * sizeof(WrongIndexNote)) WrongIndexNote{});
  }
  WrongIndexNote& note = *notes_.front();
  notes_.pop_front();
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
