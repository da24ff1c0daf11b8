// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/indexed_copies.hpp"

#include "engine/device/indexed/table.hpp"
#include "engine/device/layout/operand.hpp"
#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/event.hpp"
#include "engine/runtime/memory.hpp"

#include <atomic>
#include <bit>
#include <cstring>
#include <exception>
#include <utility>

namespace typewarp::gpu {
namespace {

/// Words that a launch moves of a pair: indices have 31 bits.
constexpr std::int64_t most_words = std::int64_t{1} << 30;

/// Where the lists of one launch lie that are copied to the device, and the launch.
struct ListSlot {
  explicit ListSlot(int device) : launched(device) {}

  Event launched;
  PinnedBuffer staging;
  std::optional<DeviceMemory> lists;
  std::int64_t room = 0;

  void reserve(Device& home, std::int64_t bytes) {
    if (bytes <= room) return;
    const auto more = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
    PinnedBuffer pinned(more);
    lists.emplace(home, more);
    staging = std::move(pinned);
    room = more;
  }
};

bool is_copied(const Indices& list) {
  return list.values != nullptr && (list.memory == MemoryKind::host || list.memory == MemoryKind::pinned);
}

/// A list's bytes in a slot: none where kernels read it where it is. Lists begin at multiples of 8 bytes.
std::int64_t copied_bytes(const Indices& list, std::int64_t count) {
  return is_copied(list) ? (count * list.bytes + 7) / 8 * 8 : 0;
}

CopySide viewed(const Operand& side, std::int64_t bytes, int word_log2) {
  CopySide result{};
  result.view = side.view({0, bytes}, word_log2, result.lookup);
  return result;
}

}  // namespace

struct IndexedCopies::State {
  struct Uploaded {
    explicit Uploaded(Device& home) : memory(home, sizeof(IndexedTable)) {}
    DeviceMemory memory;
    IndexedTable table;
    std::int64_t words_of_item = 0;  ///< the most of an entry
  };

  Device& home;
  DeviceMemory noted;
  PinnedBuffer note_memory{sizeof(WrongIndexNote)};
  std::vector<std::unique_ptr<Uploaded>> tables;
  std::vector<std::unique_ptr<ListSlot>> slots;  ///< in a ring: the launch of slots[next] is the oldest
  std::size_t next = 0;

  explicit State(Device& where) : home(where), noted(home, sizeof(std::uint64_t)) {
    clear(home.id(), noted.data(), sizeof(std::uint64_t));
    new (note_memory.data()) WrongIndexNote{1, 0, 0, 0, 0};
  }

  WrongIndexNote& note() const { return *reinterpret_cast<WrongIndexNote*>(note_memory.data()); }

  void add(const PairOfItems& pair) {
    const ByteRange all{0, pair.bytes};
    const Operand source(pair.source.first, all, home);
    const Operand destination(pair.destination.first, all, home);
    const std::int64_t bits = wide | source.alignment() | destination.alignment() | pair.bytes |
                              pair.source.stride | pair.destination.stride;
    const int word_log2 = std::countr_zero(static_cast<std::uint64_t>(bits));
    const std::int64_t words = pair.bytes >> word_log2;
    IndexedEntry entry{};
    entry.source_stride = pair.source.stride;
    entry.destination_stride = pair.destination.stride;
    entry.words = plan::Divider<std::uint32_t>(words);
    entry.word_log2 = static_cast<std::uint8_t>(word_log2);
    const CopySide from = viewed(source, pair.bytes, word_log2);
    const CopySide to = viewed(destination, pair.bytes, word_log2);
    if (tables.empty() || !tables.back()->table.add(entry, from, to)) {
      tables.push_back(std::make_unique<Uploaded>(home));
      tables.back()->table.add(entry, from, to);
    }
    tables.back()->words_of_item = std::max(tables.back()->words_of_item, words);
  }

  void upload() {
    std::vector<Upload> parts;
    for (const auto& table : tables)
      parts.push_back({table->memory.data(), &table->table, sizeof(IndexedTable)});
    gpu::upload(home, parts);
  }

  /// One that nothing uses. What is still under way stays behind it in the ring.
  ListSlot& idle_slot() {
    if (slots.empty() || !slots[next]->launched.done()) {
      slots.insert(slots.begin() + static_cast<std::ptrdiff_t>(next), std::make_unique<ListSlot>(home.id()));
    }
    ListSlot& slot = *slots[next];
    next = (next + 1) % slots.size();
    return slot;
  }

  /// Where kernels read the list, which `place` of the slot is for if it is copied.
  IndexValues on_device(const Indices& list, std::int64_t count, ListSlot* slot, std::int64_t place,
                        const LaunchContext& context) const {
    IndexValues result{list.values, list.bound, 0, list.bytes};
    if (!is_copied(list)) return result;
    const auto bytes = static_cast<std::size_t>(count * list.bytes);
    const void* from = list.values;
    if (list.memory == MemoryKind::host) from = std::memcpy(slot->staging.data() + place, list.values, bytes);
    result.values = slot->lists->data() + place;
    if (const Refusal refusal = enqueue_copy(context, slot->lists->data() + place, from, bytes))
      throw *refusal;
    return result;
  }

  void enqueue(IndexValues from, IndexValues to, std::int64_t count, const LaunchContext& context) const {
    for (const auto& uploaded : tables) {
      const IndexedTable& table = uploaded->table;
      const std::int64_t most = most_words / uploaded->words_of_item;
      for (std::int64_t done = 0; done < count; done += most) {
        from.first = to.first = done;
        IndexedLaunch launch{reinterpret_cast<const IndexedTable*>(uploaded->memory.data()),
                             from,
                             to,
                             static_cast<std::uint32_t>(std::min(most, count - done)),
                             0,
                             reinterpret_cast<std::uint32_t*>(noted.data()),
                             reinterpret_cast<WrongIndexNote*>(home.address_of(note_memory.data()))};
        for (int i = 0; i < table.entries; ++i) {
          const IndexedEntry& entry = table.entry(i);
          launch.tiles = std::max(
              launch.tiles, batch_tiles(std::int64_t{launch.items} * entry.words.divisor, entry.word_log2));
        }
        launch_indexed(launch, table.entries, table.regular, context);
      }
    }
  }
};

IndexedCopies::IndexedCopies(const std::vector<PairOfItems>& pairs, int device_id) {
  Device& home = device(device_id);
  const DeviceGuard guard(device_id);
  state_ = std::make_unique<State>(home);
  for (const PairOfItems& pair : pairs) state_->add(pair);
  state_->upload();
}

IndexedCopies::~IndexedCopies() {
  for (const auto& slot : state_->slots) {
    try {
      slot->launched.wait();
    } catch (const std::exception&) {  // the device has failed, and nobody can tell what still runs
      slot->staging.abandon();
      state_->note_memory.abandon();
    }
  }
}

void IndexedCopies::launch(const Indices& from, const Indices& to, std::int64_t count, Stream stream) {
  State& state = *state_;
  state.home.prepare();
  const DeviceGuard guard(state.home.id());
  if (capturing(stream)) {
    const LaunchContext context{state.home.id(), stream};
    return state.enqueue(state.on_device(from, count, nullptr, 0, context),
                         state.on_device(to, count, nullptr, 0, context), count, context);
  }
  const std::int64_t of_from = copied_bytes(from, count);
  ListSlot& slot = state.idle_slot();
  slot.reserve(state.home, of_from + copied_bytes(to, count));
  slot.launched.follow(stream, [&](const LaunchContext& context) {
    const IndexValues sources = state.on_device(from, count, &slot, 0, context);
    const IndexValues destinations = state.on_device(to, count, &slot, of_from, context);
    state.enqueue(sources, destinations, count, context);
  });
}

std::optional<WrongIndex> IndexedCopies::take_wrong_index() noexcept {
  WrongIndexNote& note = state_->note();
  const std::uint32_t number = note.number;
  if (std::atomic_ref(note.written).load(std::memory_order_acquire) != number) return std::nullopt;
  const WrongIndex found{note.of_source != 0, note.position, note.value};
  std::atomic_ref(note.number).store(number + 1, std::memory_order_release);
  return found;
}

}  // namespace typewarp::gpu
