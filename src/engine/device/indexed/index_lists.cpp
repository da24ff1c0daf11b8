// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/indexed/index_lists.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

namespace typewarp::gpu {

void ListSlot::reserve(int device, std::int64_t bytes) {
  if (bytes <= room) return;
  const auto more = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
  room = 0;
  on_host = PinnedBuffer(more);
  on_device.emplace(gpu::device(device), more);
  room = more;
}

void ListSlot::copy(std::int64_t bytes, const LaunchContext& context) {
  const Refusal refusal =
      enqueue_copy(context, on_device->data(), on_host.data(), static_cast<std::size_t>(bytes));
  if (refusal) throw *refusal;
}

void IndexLists::prepare() {
  constexpr int at_first = 4;
  constexpr std::int64_t bytes = std::int64_t{64} << 10;
  std::call_once(prepared_, [&] {
    const RelaxedCapture relaxed;
    load_indexed();
    ListSlots made;
    for (int i = 0; i < at_first; ++i) made.emplace_back(device_).reserve(device_, bytes);
    slots_ = std::move(made);
  });
}

ListSlots IndexLists::take(std::int64_t bytes, bool may_wait) {
  ListSlots taken, surplus;  // destroyed after the mutex is unlocked
  const std::lock_guard lock(mutex_);
  auto found = idle(bytes);
  if (found == slots_.end() && may_wait && slots_.size() >= most_idle) found = slots_.begin();
  if (found == slots_.end()) {
    taken.emplace_back(device_);
  } else {
    taken.splice(taken.end(), slots_, found);
  }
  while (slots_.size() > most_idle && slots_.front().read.done())
    surplus.splice(surplus.end(), slots_, slots_.begin());
  return taken;
}

/// The one with the least room that suffices, or else with the most.
ListSlots::iterator IndexLists::idle(std::int64_t bytes) {
  auto found = slots_.end();
  for (auto slot = slots_.begin(); slot != slots_.end(); ++slot) {
    const bool suffices = slot->room >= bytes;
    const bool is_better =
        found == slots_.end() ||
        (suffices ? found->room < bytes || slot->room < found->room : slot->room > found->room);
    if (is_better && slot->read.done()) found = slot;
  }
  return found;
}

void IndexLists::give_back(ListSlots& taken) noexcept {
  const std::lock_guard lock(mutex_);
  slots_.splice(slots_.end(), taken);
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

TakenSlot::TakenSlot(IndexLists& lists, std::int64_t bytes, bool may_wait)
    : lists_(lists), slot_(lists.take(bytes, may_wait)) {
  if (!get().read.done()) get().read.wait();
  get().reserve(lists.device(), bytes);
}

struct ResidentLists::State : TakenSlot {
  using TakenSlot::TakenSlot;
};

ResidentLists::ResidentLists(int device, std::int64_t bytes, Stream stream,
                             const std::function<void(std::byte*)>& fill) {
  const DeviceGuard guard(device);
  IndexLists& lists = kept<IndexLists>(device);
  lists.prepare();
  state_ = std::make_unique<State>(lists, bytes, false);
  ListSlot& slot = state_->get();
  fill(slot.on_host.data());
  slot.copy(bytes, {device, stream});
  slot.read.record(
      stream);  // not told in host memory: a counter for each of many lists would be all there are
}

ResidentLists::~ResidentLists() = default;

const std::byte* ResidentLists::data() const noexcept { return state_->get().on_device->data(); }

}  // namespace typewarp::gpu
