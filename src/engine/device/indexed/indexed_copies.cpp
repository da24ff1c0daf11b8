// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/indexed_copies.hpp"

#include "engine/device/indexed/index_lists.hpp"
#include "engine/device/layout/operand.hpp"

#include <atomic>
#include <cstring>

namespace typewarp::gpu {
namespace {

/// Words that a launch moves of a pair: indices have 31 bits.
constexpr std::int64_t most_words = std::int64_t{1} << 30;

/// Bytes of a list that is copied to the device, where the next one begins at a multiple of 8 behind it.
std::int64_t copied_bytes(const Indices& list, std::int64_t count) {
  return list.on_host ? (count * list.bytes + 7) / 8 * 8 : 0;
}

}  // namespace

struct IndexedCopies::State {
  struct Uploaded {
    explicit Uploaded(Device& home) : memory(home, sizeof(IndexedTable)) {}
    DeviceMemory memory;
    IndexedTable table;

    bool suits(std::int64_t words, int word_log2) const {
      return table.words.divisor == words && table.word_log2 == word_log2;
    }
  };

  explicit State(Device& where) : home(where) {}
  State& operator=(State&&) = delete;
  ~State() { lists.give_back(note); }

  void add(const PairOfItems& pair) {
    const ByteRange all{0, pair.bytes};
    const Operand source(pair.source.first, all, home);
    const Operand destination(pair.destination.first, all, home);
    const ViewedCopy viewed(destination, source, pair.bytes, pair.source.stride | pair.destination.stride);
    const std::int64_t words = pair.bytes >> viewed.word_log2;
    IndexedEntry entry{};
    entry.source_stride = pair.source.stride;
    entry.destination_stride = pair.destination.stride;
    for (const auto& uploaded : tables) {
      if (!uploaded->suits(words, viewed.word_log2)) continue;
      if (uploaded->table.add(entry, viewed.source, viewed.destination)) return;
    }
    IndexedTable& table = tables.emplace_back(std::make_unique<Uploaded>(home))->table;
    table.words = plan::Divider<std::uint32_t>(words);
    table.word_log2 = viewed.word_log2;
    table.add(entry, viewed.source, viewed.destination);
  }

  void upload() {
    constexpr std::uint64_t nothing_noted = 0;
    std::vector<Upload> parts{{noted.data(), &nothing_noted, sizeof nothing_noted}};
    for (const auto& table : tables)
      parts.push_back({table->memory.data(), &table->table, sizeof(IndexedTable)});
    gpu::upload(home, parts);
  }

  void enqueue(Indices from, Indices to, std::int64_t count, const LaunchContext& context) const {
    for (const auto& uploaded : tables) {
      const IndexedTable& table = uploaded->table;
      const std::int64_t words = table.words.divisor;
      const std::int64_t most = most_words / words;
      for (std::int64_t done = 0; done < count; done += most) {
        from.first = to.first = done;
        const std::int64_t items = std::min(most, count - done);
        IndexedLaunch launch{
            reinterpret_cast<const IndexedTable*>(uploaded->memory.data()),
            from,
            to,
            static_cast<std::uint32_t>(items),
            batch_tiles(items * words, table.word_log2),
            owner,
            reinterpret_cast<std::uint64_t*>(noted.data()),
            reinterpret_cast<WrongIndexNote*>(home.address_of(reinterpret_cast<std::byte*>(&note)))};
        launch_indexed(launch, table.entries, table.regular, context);
      }
    }
  }

  Device& home;
  IndexLists& lists = kept<IndexLists>(home.id());
  std::uint64_t owner = lists.next_number();
  DeviceMemory noted{home, sizeof(std::uint64_t)};
  WrongIndexNote& note = lists.take_note(owner);
  std::vector<std::unique_ptr<Uploaded>> tables;
};

IndexedCopies::IndexedCopies(const std::vector<PairOfItems>& pairs, int device_id) {
  Device& home = device(device_id);
  const DeviceGuard guard(device_id);
  home.prepare();
  kept<IndexLists>(device_id).prepare();
  state_ = std::make_unique<State>(home);
  for (const PairOfItems& pair : pairs) state_->add(pair);
  state_->upload();
}

IndexedCopies::~IndexedCopies() = default;

void IndexedCopies::launch(const Indices& from, const Indices& to, std::int64_t count, Stream stream) {
  const State& state = *state_;
  const DeviceGuard guard(state.home.id());
  const std::int64_t of_from = copied_bytes(from, count), of_to = copied_bytes(to, count);
  if (of_from + of_to == 0) {
    return state.enqueue(from, to, count, {state.home.id(), stream});
  }
  TakenSlot taken(state.lists, of_from + of_to, true);
  ListSlot& slot = taken.get();
  const auto copied = [&](Indices list, std::int64_t place) {
    if (!list.on_host) return list;
    std::memcpy(slot.on_host.data() + place, list.values, static_cast<std::size_t>(count * list.bytes));
    list.values = slot.on_device->data() + place;
    list.on_host = false;
    return list;
  };
  const Indices sources = copied(from, 0), destinations = copied(to, of_from);
  slot.read.follow(stream, [&](const LaunchContext& context) {
    slot.copy(of_from + of_to, context);
    state.enqueue(sources, destinations, count, context);
  });
}

std::optional<WrongIndex> IndexedCopies::take_wrong_index() noexcept {
  WrongIndexNote& note = state_->note;
  if (std::atomic_ref(note.written).load(std::memory_order_acquire) != note.number) return std::nullopt;
  const WrongIndex found{note.of_source != 0, note.position, note.value};
  std::atomic_ref(note.number).store(state_->lists.next_number(), std::memory_order_release);
  return found;
}

}  // namespace typewarp::gpu
