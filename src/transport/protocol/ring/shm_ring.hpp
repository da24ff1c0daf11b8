// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/lent.hpp"
#include "base/memory_file.hpp"
#include "transport/session.hpp"
#include "transport/tuning/policy.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace typewarp::transport {

/// The offer of a ring: the sender's ring, and where the message begins in it.
struct RingKey {
  std::int64_t number;
  std::int64_t first;
  std::uint64_t data = 0;  ///< where the message lies in the sender's memory, if consecutive; 0: nowhere
};

/// The state of a ring, in memory that sender and receiver have mapped. Only one of them writes each word.
/// Positions grow from message to message, so nothing is ever reset. A message is named by its first
/// position: smaller and other values belong to earlier messages.
struct RingState {
  static constexpr std::size_t cache_line = 64;
  using Word = std::atomic<std::int64_t>;

  // Written by the sender.
  alignas(cache_line) Word written;  ///< up to this position
  Word failed;                       ///< this message: no more will be written
  // Written by the receiver. What it writes often has a cache line of its own.
  alignas(cache_line) Word read;     ///< up to this position
  alignas(cache_line) Word claimed;  ///< this message: will be read
  Word copied;    ///< up to this position, out of the sender's memory: only for its time limit
  Word answered;  ///< this message: the clearance is there, and the ring is not touched any more
  Cts clearance;
};
static_assert(RingState::Word::is_always_lock_free);

/// One message's use of a ring of bytes in shared memory.
struct Ring {
  RingState* state = nullptr;
  std::byte* data = nullptr;
  std::int64_t first = 0;  ///< > 0
  std::int64_t capacity = RingPolicy::capacity;

  bool is_long() const noexcept { return capacity > RingPolicy::capacity; }
  /// Where byte `at` of the packed stream lies, followed by `consecutive(at)` bytes.
  std::byte* place(std::int64_t at) const noexcept { return data + at % capacity; }
  std::int64_t consecutive(std::int64_t at) const noexcept { return capacity - at % capacity; }

  /// How many bytes of the packed stream have been written, and how many read.
  std::int64_t written() const noexcept { return since_first(state->written); }
  std::int64_t read() const noexcept { return since_first(state->read); }
  std::int64_t copied() const noexcept { return since_first(state->copied); }
  void note_copied(std::int64_t bytes) const noexcept { say(state->copied, first + bytes); }
  void note_written(std::int64_t bytes) const noexcept { say(state->written, first + bytes); }
  void note_read(std::int64_t bytes) const noexcept { say(state->read, first + bytes); }

  void fail() const noexcept { say(state->failed, first); }
  bool failed() const noexcept { return said(state->failed); }
  void claim() const noexcept { say(state->claimed, first); }
  bool claimed() const noexcept { return said(state->claimed); }
  /// The receiver's last write to the ring.
  void answer(const Cts& clearance) const noexcept {
    state->clearance = clearance;
    say(state->answered, first);
  }
  bool answered() const noexcept { return said(state->answered); }

 private:
  // The other process may write any number.
  std::int64_t since_first(const RingState::Word& word) const noexcept {
    return std::max(word.load(std::memory_order_acquire), first) - first;
  }
  bool said(const RingState::Word& word) const noexcept {
    return word.load(std::memory_order_acquire) == first;
  }
  static void say(RingState::Word& word, std::int64_t value) noexcept {
    word.store(value, std::memory_order_release);
  }
};

class Rings;

/// The memory of a process's rings, mapped; or none.
struct Unmap {
  void operator()(std::byte* mapped) const noexcept;
};
using RingMemory = std::unique_ptr<std::byte, Unmap>;

struct TakenRing {
  int number = -1;
  Ring ring;
  std::int64_t bytes = 0;  ///< of its message
};

/// A ring of this rank that a message has taken; or none. The destructor gives it back: an announced message
/// must be answered by then.
class OwnRing : public Lent<Rings, TakenRing> {
 public:
  using Lent::Lent;
  int number() const noexcept { return value().number; }
  const Ring& ring() const noexcept { return value().ring; }
  /// The length of its message.
  void set_bytes(std::int64_t bytes) noexcept { value().bytes = bytes; }
};

/// The rings of all ranks of this host, mapped by each of them. The memory has no name, so it is gone with
/// the last process that has mapped it, however that ends. Thread safe.
class Rings final : public ChannelState {
 public:
  /// `wanted`: whether this rank takes part. connect() comes before the first use.
  Rings(int ranks, bool wanted);
  /// Maps the rings of all ranks of the host.
  void connect(SessionState& session) override;

  /// None if all are in use, or the system has no memory for one more. `longer` asks for a long ring, and
  /// gets a short one if no long one is free.
  OwnRing take(bool longer = false);
  /// The ring that `rank` has offered. Throws Error if there is no such ring.
  Ring of(int rank, const RingKey& offer) const;
  /// Copies from the memory of `rank`. Returns false if that fails. Precondition: may_read(rank).
  bool read(int rank, const std::byte* from, std::byte* to, std::int64_t bytes) const noexcept;

  /// Whether this rank and `rank` have mapped each other's rings.
  bool reach(int rank) const noexcept { return reach_[static_cast<std::size_t>(rank)].mapped; }
  /// Whether this process may read the memory of `rank`.
  bool may_read(int rank) const noexcept { return reach_[static_cast<std::size_t>(rank)].readable; }
  bool shares_host_memory(int rank) const noexcept override { return reach(rank); }
  /// How many rings are taken, and how many times one has been.
  std::size_t taken() const override;
  std::uint64_t uses() const;

 private:
  friend Lent<Rings, TakenRing>;

  using Secret = std::array<std::uint64_t, 2>;
  /// Where a process has its rings, for others of the host.
  struct Address {
    std::int64_t host;
    std::int64_t process;
    std::int64_t file;  ///< descriptor; -1: none
    Secret secret;
    std::uint64_t place;  ///< of its secret in its memory
  };
  /// `host` is the same for ranks that may share memory.
  void share(MPI_Comm comm, int host);
  static RingMemory map_of(const Address& address) noexcept;
  static bool reads(const Address& address) noexcept;

  void give(const TakenRing& taken) noexcept;
  std::vector<int>& free_of(int number) noexcept;
  OwnRing take_of(std::vector<int>& free);

  Secret secret_;
  FileDescriptor file_;  ///< of its own memory, until all have mapped it
  RingMemory own_;
  std::vector<Address> addresses_;  ///< by rank
  struct Reach {
    bool mapped = false;
    bool readable = false;
  };
  std::vector<Reach> reach_;        ///< by rank
  std::vector<int> fine_;           ///< by rank: whether it has mapped all that it can reach
  std::vector<RingMemory> memory_;  ///< by rank; none where it is out of reach. Its own is mapped twice
  mutable std::mutex mutex_;        ///< guards what follows
  std::vector<int> free_, free_long_;
  std::vector<std::int64_t> next_;  ///< by ring: the first position of its next message
  std::uint64_t uses_ = 0;
};

}  // namespace typewarp::transport
