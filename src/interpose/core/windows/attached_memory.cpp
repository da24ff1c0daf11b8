// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/attached_memory.hpp"

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

/// All zero at first. Only what is used of it takes memory. There are two copies, and the version tells which
/// of them is read: its rank changes the other one, and then the version. So a rank that dies meanwhile
/// leaves what was there before, and nobody waits for it.
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

  struct Copy {
    Word used;      ///< entries that may hold something: the first ones
    Word unlisted;  ///< attached, and not in here
    Word devices;   ///< that were attached so far
    std::array<Entry, most> entries;
  };
  Copy& of(std::uint64_t number) noexcept { return copies[number % copies.size()]; }
  const Copy& of(std::uint64_t number) const noexcept { return copies[number % copies.size()]; }

  Word version;
  Word byte, origin, unit;  ///< Displacements
  std::array<Copy, 2> copies;
};

namespace {

/// Whether pages for that can be had: else the program would end when it writes there.
bool has_room(int file, const void* first_of_file, const void* from, std::size_t bytes) noexcept {
  const auto place = static_cast<const std::byte*>(from) - static_cast<const std::byte*>(first_of_file);
  return posix_fallocate(file, place, static_cast<off_t>(bytes)) == 0;
}

/// What another rank has written may be anything.
bool makes_sense(const AttachedMemory& memory) noexcept {
  const auto bytes = static_cast<std::uint64_t>(memory.bytes);
  if (memory.number == 0 || memory.bytes < 0 || memory.base + bytes < memory.base) return false;
  const gpu::SharedMemory& shared = memory.memory;
  return memory.is_a_devices == 0 ||
         (shared.offset >= 0 && shared.offset <= shared.size && memory.bytes <= shared.size - shared.offset);
}

}  // namespace

void AttachedMemories::Unmap::operator()(Table* tables) const noexcept { munmap(tables, bytes); }

AttachedMemories::AttachedMemories(MPI_Comm comm, const WindowFile& file, const Displacements& own)
    : file_(file.get()) {
  const mpi::RankInComm place = mpi::rank_in(comm);
  rank_ = place.rank;
  const std::size_t bytes = static_cast<std::size_t>(place.ranks) * sizeof(Table);
  std::string problem;
  const auto size = static_cast<off_t>(bytes);
  void* const mapped = ftruncate(file_, size) == 0
                           ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0)
                           : MAP_FAILED;
  if (mapped != MAP_FAILED) tables_ = {static_cast<Table*>(mapped), Unmap{bytes}};
  const auto has_all = [&] {
    const Table& table = table_of(rank_);
    const auto has_header = [&](const Table::Copy& copy) {
      return has_room(file_, mapped, &copy, offsetof(Table::Copy, entries));
    };
    return has_room(file_, mapped, &table, offsetof(Table, copies)) &&
           std::ranges::all_of(table.copies, has_header);
  };
  if (tables_ == nullptr || !has_all()) problem = "the memory that the ranks of a window share cannot be had";
  if (problem.empty()) {
    table_of(rank_).byte = own.byte;
    table_of(rank_).origin = own.origin;
    table_of(rank_).unit = static_cast<std::uint64_t>(own.unit);
  }
  // After which all have told of theirs.
  if (const auto first = mpi::first_problem(comm, problem)) throw Error("shared memory: " + *first);
}

AttachedMemories::Table& AttachedMemories::table_of(int rank) const noexcept { return tables_.get()[rank]; }

std::size_t AttachedMemories::ranks() const noexcept { return tables_.get_deleter().bytes / sizeof(Table); }

MPI_Aint AttachedMemories::byte_of(int rank) const noexcept {
  return static_cast<MPI_Aint>(table_of(rank).byte.load(std::memory_order_relaxed));
}

std::optional<std::uint64_t> AttachedMemories::address_of(int rank, MPI_Aint displacement) const noexcept {
  const Table& table = table_of(rank);
  const auto unit = static_cast<std::int64_t>(table.unit.load(std::memory_order_relaxed));
  std::int64_t shift = 0;
  if (__builtin_mul_overflow(std::int64_t{displacement}, unit, &shift)) return std::nullopt;
  return table.origin.load(std::memory_order_relaxed) + static_cast<std::uint64_t>(shift);
}

template <class Act>
void AttachedMemories::change(Act act) noexcept {
  Table& table = table_of(rank_);
  const std::uint64_t next = table.version.load(std::memory_order_relaxed) + 1;
  act(table.of(next));
  table.version.store(next, std::memory_order_release);
  std::atomic_thread_fence(
      std::memory_order_seq_cst);  // who still reads the other copy sees the version first
  act(table.of(next + 1));
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
  const auto has_place = [&](const Table::Copy& copy) {
    return has_room(file_, tables_.get(), &copy.entries[i], sizeof(Table::Entry));
  };
  const bool is_one_more = i < most && std::ranges::all_of(table_of(rank_).copies, has_place);
  if (!is_one_more && memory == nullptr)
    return change([](Table::Copy& own) { own.unlisted.fetch_add(1, std::memory_order_relaxed); });
  if (!is_one_more)
    fail(MPI_ERR_RMA_ATTACH, "a rank can have " + std::to_string(most) +
                                 " pieces of memory attached where some is a GPU's, and this one has " +
                                 std::to_string(i));
  if (place == own_.end()) own_.resize(i + 1);
  own_[i] = added;
  ++attached_;
  change([&](Table::Copy& own) {
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
  if (found != own_.end()) *found = {};
  change([&](Table::Copy& own) {
    if (found != own_.end()) {
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
    const Table::Copy& copy = table.of(made.version);
    made.all.clear();
    const auto used = std::min<std::uint64_t>(copy.used.load(std::memory_order_relaxed), most);
    for (std::size_t i = 0; i < used; ++i) {
      const AttachedMemory memory = copy.entries[i].read();
      if (makes_sense(memory)) made.all.push_back(memory);
    }
    made.is_complete = copy.unlisted.load(std::memory_order_relaxed) == 0;
    made.had_a_devices = copy.devices.load(std::memory_order_relaxed) != 0;
    std::atomic_thread_fence(std::memory_order_acquire);
    if (made.version == table.version.load(std::memory_order_relaxed)) return made;
    std::this_thread::yield();
  }
}

}  // namespace typewarp::interpose
