// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/ring/shm_ring.hpp"

#include <typewarp/mpi.hpp>

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <new>
#include <random>
#include <string>

namespace typewarp::transport {
namespace {

constexpr std::int64_t page = 4096;
static_assert(sizeof(RingState) <= page);

constexpr auto rings = static_cast<int>(RingPolicy::rings);
constexpr int all_rings = rings + static_cast<int>(RingPolicy::long_rings);

constexpr std::int64_t capacity_of(int ring) {
  return ring < rings ? RingPolicy::capacity : RingPolicy::long_capacity;
}

// The layout: a page with the owner's secret; then, for each ring, a page with its state, and its bytes. Long
// rings are last.
constexpr std::int64_t place_of(int ring) {
  const int short_ones = std::min(ring, rings);
  return page + short_ones * (page + capacity_of(0)) + (ring - short_ones) * (page + capacity_of(rings));
}
constexpr std::int64_t memory_bytes = place_of(all_rings);

RingMemory map(int file) {
  void* const memory = mmap(nullptr, memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return RingMemory(memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory));
}

std::array<std::uint64_t, 2> draw() {
  std::random_device random;
  std::array<std::uint64_t, 2> secret;
  for (std::uint64_t& word : secret) word = (std::uint64_t{random()} << 32) | random();
  return secret;
}

bool read_from(pid_t process, const std::byte* from, std::byte* to, std::int64_t bytes) noexcept {
  while (bytes > 0) {
    const iovec local{to, static_cast<std::size_t>(bytes)};
    const iovec remote{const_cast<std::byte*>(from), static_cast<std::size_t>(bytes)};
    const ssize_t done = process_vm_readv(process, &local, 1, &remote, 1, 0);
    if (done <= 0) return false;
    from += done;
    to += done;
    bytes -= done;
  }
  return true;
}

// The ring without a message yet.
Ring ring_in(const RingMemory& memory, int number) {
  std::byte* const state = memory.get() + place_of(number);
  return {reinterpret_cast<RingState*>(state), state + page, 0, capacity_of(number)};
}

template <typename Item>
void gather(const Item& own, std::vector<Item>& all, MPI_Comm comm) {
  mpi::check(MPI_Allgather(&own, sizeof(Item), MPI_BYTE, all.data(), sizeof(Item), MPI_BYTE, comm),
             "MPI_Allgather");
}

}  // namespace

void Unmap::operator()(std::byte* mapped) const noexcept { munmap(mapped, memory_bytes); }

// None if the numbers mean something else in this process, as in another container.
RingMemory Rings::map_of(const Address& address) noexcept {
  const FileDescriptor file = open_memory_file(address.process, address.file, memory_bytes);
  RingMemory memory = file ? map(file.get()) : RingMemory();
  const bool is_theirs = memory && *reinterpret_cast<const Secret*>(memory.get()) == address.secret;
  return is_theirs ? std::move(memory) : RingMemory();
}

// The system may forbid it, for instance if only a parent may trace a process.
bool Rings::reads(const Address& address) noexcept {
  Secret secret{};
  const auto* const there = reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(address.place));
  return read_from(static_cast<pid_t>(address.process), there, reinterpret_cast<std::byte*>(&secret),
                   sizeof(secret)) &&
         secret == address.secret;
}

Rings::Rings(int ranks, bool wanted)
    : secret_(draw()),
      addresses_(static_cast<std::size_t>(ranks)),
      fine_(addresses_.size()),
      memory_(addresses_.size()),
      next_(all_rings, 0) {
  if (wanted) file_ = make_memory_file(memory_bytes);
  if (file_) own_ = map(file_.get());
  if (own_ && !populate(own_.get(), page)) own_ = RingMemory();
  if (own_) *reinterpret_cast<Secret*>(own_.get()) = secret_;
  reach_.resize(addresses_.size());
  for (int number = all_rings - 1; number >= 0; --number) free_of(number).push_back(number);
}

void Rings::connect(SessionState& session) {
  share(session.comm.get(), session.comm.host());
  if (reach(session.comm.rank())) session.progress.drive_mpi(session.comm.get());
}

void Rings::share(MPI_Comm comm, int host) {
  const Address own{host, getpid(), own_ ? file_.get() : -1, secret_,
                    reinterpret_cast<std::uintptr_t>(own_.get())};
  gather(own, addresses_, comm);
  bool all_mapped = static_cast<bool>(own_);
  for (std::size_t rank = 0; rank < addresses_.size(); ++rank) {
    const Address& other = addresses_[rank];
    if (!own_ || other.host != host || other.file < 0) continue;
    memory_[rank] = map_of(other);
    all_mapped = all_mapped && memory_[rank] != nullptr;
  }
  gather(all_mapped ? 1 : 0, fine_, comm);
  file_ = FileDescriptor();
  for (std::size_t rank = 0; rank < addresses_.size(); ++rank) {
    if (!all_mapped || fine_[rank] == 0) memory_[rank] = RingMemory();
    const bool mapped = static_cast<bool>(memory_[rank]);
    reach_[rank] = {mapped, mapped && reads(addresses_[rank])};
  }
}

std::vector<int>& Rings::free_of(int number) noexcept { return number < rings ? free_ : free_long_; }

OwnRing Rings::take(bool longer) {
  const std::lock_guard lock(mutex_);
  OwnRing taken = longer ? take_of(free_long_) : OwnRing();
  return taken ? std::move(taken) : take_of(free_);
}

OwnRing Rings::take_of(std::vector<int>& free) {
  if (free.empty() || !own_) return {};
  const int number = free.back();
  const Ring ring = ring_in(own_, number);
  std::int64_t& first = next_[static_cast<std::size_t>(number)];
  if (first == 0) {
    auto* const memory = reinterpret_cast<std::byte*>(ring.state);
    if (!populate(memory, page + ring.capacity)) return {};
    new (memory) RingState{};
    first = 1;
  }
  free.pop_back();
  ++uses_;
  return {*this, {number, {ring.state, ring.data, first, ring.capacity}}};
}

Ring Rings::of(int rank, const RingKey& offer) const {
  if (offer.number < 0 || offer.number >= all_rings || offer.first <= 0 || !reach(rank)) {
    throw Error("typewarp: rank " + std::to_string(rank) +
                " of the Session announced a ring that it has not");
  }
  Ring ring = ring_in(memory_[static_cast<std::size_t>(rank)], static_cast<int>(offer.number));
  ring.first = offer.first;
  return ring;
}

bool Rings::read(int rank, const std::byte* from, std::byte* to, std::int64_t bytes) const noexcept {
  return read_from(static_cast<pid_t>(addresses_[static_cast<std::size_t>(rank)].process), from, to, bytes);
}

std::uint64_t Rings::uses() const {
  const std::lock_guard lock(mutex_);
  return uses_;
}

std::size_t Rings::taken() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(all_rings) - free_.size() - free_long_.size();
}

// Beyond all bytes of the message, and one more, since it may have none. Computed from this rank's own
// numbers: the other process may write anything.
void Rings::give(const TakenRing& taken) noexcept {
  const std::int64_t next = taken.ring.first + taken.bytes + 1;
  const std::lock_guard lock(mutex_);
  next_[static_cast<std::size_t>(taken.number)] = next;
  free_of(taken.number).push_back(taken.number);
}

}  // namespace typewarp::transport
