// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/attached_memory.hpp"

#include "interpose/core/windows/targets.hpp"
#include "mpi/agree.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>

namespace typewarp::interpose {
namespace {

using Word = std::atomic<std::uint64_t>;
static_assert(Word::is_always_lock_free);
static_assert(std::has_unique_object_representations_v<AttachedMemory>);
constexpr std::size_t words_of_entry = sizeof(AttachedMemory) / sizeof(std::uint64_t);
using Words = std::array<std::uint64_t, words_of_entry>;

}  // namespace

/// All zero at first. Only what is used of it takes memory.
struct AttachedMemories::Table {
  /// Who reads while it is written gets what makes no sense, and sees it by the version.
  struct Entry {
    std::array<Word, words_of_entry> words;

    void write(const AttachedMemory& memory) noexcept {
      const auto from = std::bit_cast<Words>(memory);
      for (std::size_t i = 0; i < from.size(); ++i) words[i].store(from[i], std::memory_order_relaxed);
    }
    AttachedMemory read() const noexcept {
      Words to;
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = words[i].load(std::memory_order_relaxed);
      return std::bit_cast<AttachedMemory>(to);
    }
  };

  Word version;  ///< odd while it is written
  Word byte;
  Word used;      ///< entries that may hold something: the first ones
  Word unlisted;  ///< attached, and not in here
  Word devices;   ///< that were attached so far
  std::array<Entry, most> entries;
};

void AttachedMemories::Unmap::operator()(Table* tables) const noexcept { munmap(tables, bytes); }

AttachedMemories::AttachedMemories(MPI_Comm comm, const SharedFile& file, const void* byte)
    : file_(file.get()) {
  int ranks = 0;
  mpi::check(PMPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  mpi::check(PMPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  const std::size_t bytes = static_cast<std::size_t>(ranks) * sizeof(Table);
  std::string problem;
  const auto size = static_cast<off_t>(bytes);
  void* const mapped = ftruncate(file_, size) == 0
                           ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0)
                           : MAP_FAILED;
  constexpr off_t header = offsetof(Table, entries);
  if (mapped == MAP_FAILED || posix_fallocate(file_, static_cast<off_t>(sizeof(Table)) * rank_, header) != 0)
    problem = "the memory that the ranks of a window share cannot be had";
  if (mapped != MAP_FAILED) tables_ = {static_cast<Table*>(mapped), Unmap{bytes}};
  if (problem.empty()) table_of(rank_).byte = reinterpret_cast<std::uintptr_t>(byte);
  // After which all have told of their byte.
  if (const auto first = mpi::first_problem(comm, problem)) throw Error("shared memory: " + *first);
}

AttachedMemories::Table& AttachedMemories::table_of(int rank) const noexcept { return tables_.get()[rank]; }

MPI_Aint AttachedMemories::byte_of(int rank) const noexcept {
  return static_cast<MPI_Aint>(table_of(rank).byte.load(std::memory_order_relaxed));
}

template <class Act>
void AttachedMemories::change(Act act) noexcept {
  Table& table = table_of(rank_);
  const std::uint64_t version = table.version.load(std::memory_order_relaxed);
  table.version.store(version + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  act(table);
  table.version.store(version + 2, std::memory_order_release);
}

void AttachedMemories::add(const void* base, std::int64_t bytes, const gpu::SharedMemory* memory) {
  const std::lock_guard lock(mutex_);
  AttachedMemory added{attached_ + 1, reinterpret_cast<std::uintptr_t>(base), bytes,
                       memory != nullptr ? 1 : 0, memory != nullptr ? *memory : gpu::SharedMemory{}};
  const auto overlaps = [&](const AttachedMemory& other) {
    return other.number != 0 && (other.holds(added.base) || added.holds(other.base));
  };
  if (memory != nullptr && std::ranges::any_of(own_, overlaps))
    fail(MPI_ERR_RMA_ATTACH, "the memory overlaps with what is attached already");
  const auto place = std::ranges::find(own_, std::uint64_t{0}, &AttachedMemory::number);
  const auto i = static_cast<std::size_t>(place - own_.begin());
  Table& table = table_of(rank_);
  const off_t offset = reinterpret_cast<std::byte*>(&table.entries) -
                       reinterpret_cast<std::byte*>(tables_.get()) +
                       static_cast<off_t>(i * sizeof(Table::Entry));
  // A page that cannot be had would end the program when it is written.
  const bool has_room = i < most && posix_fallocate(file_, offset, sizeof(Table::Entry)) == 0;
  if (!has_room && memory == nullptr)
    return change([](Table& own) { own.unlisted.fetch_add(1, std::memory_order_relaxed); });
  if (!has_room)
    fail(MPI_ERR_RMA_ATTACH, "a rank can have " + std::to_string(most) +
                                 " pieces of memory attached where some is a GPU's, and this one has " +
                                 std::to_string(i));
  if (place == own_.end()) own_.resize(i + 1);
  own_[i] = added;
  ++attached_;
  change([&](Table& own) {
    own.entries[i].write(added);
    own.used.store(own_.size(), std::memory_order_relaxed);
    own.devices.fetch_add(memory != nullptr ? 1 : 0, std::memory_order_relaxed);
  });
}

std::vector<AttachedMemory>::iterator AttachedMemories::find(const void* base) noexcept {
  return std::ranges::find_if(own_, [&](const AttachedMemory& memory) {
    return memory.number != 0 && memory.base == reinterpret_cast<std::uintptr_t>(base);
  });
}

std::optional<bool> AttachedMemories::is_a_devices(const void* base) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = find(base);
  return found != own_.end() ? std::optional(found->is_a_devices != 0) : std::nullopt;
}

void AttachedMemories::remove(const void* base) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = find(base);
  change([&](Table& own) {
    if (found != own_.end()) {
      *found = {};
      own.entries[static_cast<std::size_t>(found - own_.begin())].write(*found);
    } else if (own.unlisted.load(std::memory_order_relaxed) > 0) {
      own.unlisted.fetch_sub(1, std::memory_order_relaxed);
    }
  });
}

std::uint64_t AttachedMemories::version_of(int rank) const noexcept {
  return table_of(rank).version.load(std::memory_order_acquire);
}

AttachedMemories::Listing AttachedMemories::read(int rank) const {
  const Table& table = table_of(rank);
  Listing made{};
  while (true) {
    made.version = table.version.load(std::memory_order_acquire);
    made.all.clear();
    const auto used = std::min<std::uint64_t>(table.used.load(std::memory_order_relaxed), most);
    for (std::size_t i = 0; i < used; ++i) {
      const AttachedMemory memory = table.entries[i].read();
      if (memory.number != 0) made.all.push_back(memory);
    }
    made.is_complete = table.unlisted.load(std::memory_order_relaxed) == 0;
    made.had_a_devices = table.devices.load(std::memory_order_relaxed) != 0;
    std::atomic_thread_fence(std::memory_order_acquire);
    const bool is_whole =
        made.version % 2 == 0 && made.version == table.version.load(std::memory_order_relaxed);
    if (is_whole) return made;
    std::this_thread::yield();
  }
}

}  // namespace typewarp::interpose
