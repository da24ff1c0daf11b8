// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/ring/shm_ring.hpp"

#include "transport/memory/populate.hpp"

#include <typewarp/mpi.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
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

// A page with the owner's secret, then for each ring, the long ones last, a page with its state and its
// bytes.
constexpr std::int64_t place_of(int ring) {
  const int short_ones = std::min(ring, rings);
  return page + short_ones * (page + capacity_of(0)) + (ring - short_ones) * (page + capacity_of(rings));
}
constexpr std::int64_t memory_bytes = place_of(all_rings);

using Secret = std::array<std::uint64_t, 2>;

/// Where a process has its rings, for others of the host.
struct Address {
  std::int64_t host;
  std::int64_t process;
  std::int64_t file;  ///< descriptor; -1: none
  Secret secret;
  std::uint64_t place;  ///< of its secret in its memory
};

/// A file descriptor.
class File {
 public:
  explicit File(int descriptor) noexcept : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int get() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

RingMemory map(int file) {
  void* const memory = mmap(nullptr, memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return RingMemory(memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory));
}

Secret draw() {
  std::random_device random;
  Secret secret;
  for (std::uint64_t& word : secret) word = (std::uint64_t{random()} << 32) | random();
  return secret;
}

/// Nobody can cut it: who then used what is no more there would be sent a signal.
constexpr int seals = F_SEAL_SHRINK | F_SEAL_SEAL;

int make_file() {
  rlimit longest{};  // beyond it a process is sent a signal
  if (getrlimit(RLIMIT_FSIZE, &longest) != 0 || longest.rlim_cur < memory_bytes) return -1;
  const int file = memfd_create("typewarp", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file >= 0 && ftruncate(file, memory_bytes) == 0 && fcntl(file, F_ADD_SEALS, seals) == 0) return file;
  if (file >= 0) close(file);
  return -1;
}

// Of this size, and nothing that does something when it is opened.
bool is_memory(const struct stat& about) { return S_ISREG(about.st_mode) && about.st_size == memory_bytes; }

// None if the system does not allow that, or if the numbers mean something else here, as in another
// container.
RingMemory map_of(const Address& address) {
  const std::string path = "/proc/" + std::to_string(address.process) + "/fd/" + std::to_string(address.file);
  struct stat about{};
  if (stat(path.c_str(), &about) != 0 || !is_memory(about)) return {};
  const File file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0 || fstat(file.get(), &about) != 0 || !is_memory(about)) return {};
  if (const int sealed = fcntl(file.get(), F_GET_SEALS); sealed < 0 || (sealed & seals) != seals) return {};
  RingMemory memory = map(file.get());
  const bool is_theirs = memory && *reinterpret_cast<const Secret*>(memory.get()) == address.secret;
  return is_theirs ? std::move(memory) : RingMemory();
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

// Systems may forbid it, for instance where only a parent may trace a process.
bool reads(const Address& address) {
  Secret secret{};
  const auto* const there = reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(address.place));
  return read_from(static_cast<pid_t>(address.process), there, reinterpret_cast<std::byte*>(&secret),
                   sizeof(secret)) &&
         secret == address.secret;
}

// Of no message yet.
Ring ring_in(const RingMemory& memory, int number) {
  std::byte* const state = memory.get() + place_of(number);
  return {reinterpret_cast<RingState*>(state), state + page, 0, capacity_of(number)};
}

template <typename Item>
std::vector<Item> gathered(const Item& own, MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  std::vector<Item> all(static_cast<std::size_t>(size));
  mpi::check(MPI_Allgather(&own, sizeof(Item), MPI_BYTE, all.data(), sizeof(Item), MPI_BYTE, comm),
             "MPI_Allgather");
  return all;
}

}  // namespace

OwnRing::~OwnRing() {
  if (home_ != nullptr) home_->give(*this);
}

void Unmap::operator()(std::byte* mapped) const noexcept { munmap(mapped, memory_bytes); }

Rings::Rings(MPI_Comm comm, int host, bool wanted) {
  const File file(wanted ? make_file() : -1);
  if (file.get() >= 0) own_ = map(file.get());
  if (own_ && !populate(own_.get(), page)) own_ = RingMemory();
  const Address own{host, getpid(), own_ ? file.get() : -1, draw(),
                    reinterpret_cast<std::uintptr_t>(own_.get())};
  if (own_) *reinterpret_cast<Secret*>(own_.get()) = own.secret;
  const std::vector<Address> all = gathered(own, comm);
  bool all_mapped = static_cast<bool>(own_);
  for (const Address& other : all) {
    memory_.emplace_back();
    if (!own_ || other.host != host || other.file < 0) continue;
    memory_.back() = map_of(other);
    all_mapped = all_mapped && memory_.back() != nullptr;
  }
  const std::vector<int> fine = gathered(all_mapped ? 1 : 0, comm);
  for (std::size_t other = 0; other < all.size(); ++other) {
    if (!all_mapped || fine[other] == 0) memory_[other] = RingMemory();
    const bool mapped = static_cast<bool>(memory_[other]);
    reach_.push_back({mapped, mapped && reads(all[other])});
    processes_.push_back(static_cast<pid_t>(all[other].process));
  }
  for (int number = all_rings - 1; number >= 0; --number) free_of(number).push_back(number);
  next_.assign(all_rings, 0);
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
  return {*this, number, {ring.state, ring.data, first, ring.capacity}};
}

Ring Rings::of(int rank, const RingKey& offer) const {
  if (offer.number < 0 || offer.number >= all_rings || offer.first <= 0 || !reach(rank)) {
    throw Error("typewarp: rank " + std::to_string(rank) +
                " of the Session announced a ring that it has not");
  }
  Ring ring = ring_in(memory_[static_cast<std::size_t>(rank)], offer.number);
  ring.first = offer.first;
  return ring;
}

bool Rings::read(int rank, const std::byte* from, std::byte* to, std::int64_t bytes) const noexcept {
  return read_from(processes_[static_cast<std::size_t>(rank)], from, to, bytes);
}

std::uint64_t Rings::uses() const {
  const std::lock_guard lock(mutex_);
  return uses_;
}

std::size_t Rings::taken() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(all_rings) - free_.size() - free_long_.size();
}

// Beyond all that the message may have had, and by one more, since it may be one of no bytes. The other
// process does not tell: it may write what it likes.
void Rings::give(const OwnRing& ring) noexcept {
  const std::int64_t next = ring.ring().first + ring.bytes_ + 1;
  const std::lock_guard lock(mutex_);
  next_[static_cast<std::size_t>(ring.number())] = next;
  free_of(ring.number()).push_back(ring.number());
}

}  // namespace typewarp::transport
