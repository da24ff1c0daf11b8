// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/descriptor.hpp"

#include <mpi.h>

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace typewarp::transport {

/// The numbers of messages that go through rings.
struct RingPolicy {
  /// Rings of each rank, and the bytes that each has room for. What no message uses takes no memory.
  static constexpr std::int64_t rings = 64;
  static constexpr std::int64_t capacity = std::int64_t{128} << 10;
  /// Messages of at least so many bytes go through a ring: shorter ones are sooner there as they are.
  std::int64_t least_bytes = 2048;
  /// A message is cut into so many pieces, each of no fewer and no more bytes than these: the last one is
  /// unpacked when nothing is left to pack, and the caches should hold a few.
  std::int64_t pieces = 8;
  std::int64_t least_piece = std::int64_t{2} << 10;
  std::int64_t longest_piece = std::int64_t{32} << 10;
  /// Bytes moved before other messages are looked after.
  std::int64_t bytes_at_a_time = std::int64_t{128} << 10;

  constexpr std::int64_t piece_bytes(std::int64_t bytes) const noexcept {
    return bytes / pieces < least_piece     ? least_piece
           : bytes / pieces > longest_piece ? longest_piece
                                            : bytes / pieces;
  }
};

/// What a sender and a receiver on one host say to each other of one message, in memory that both have
/// mapped, besides the message's bytes. Whatever one of them writes is read by the other.
struct RingState {
  static constexpr std::size_t cache_line = 64;

  // Of the sender.
  alignas(cache_line) std::atomic<std::int64_t> written;  ///< bytes of the packed stream so far
  std::atomic<bool> failed;                               ///< no more will be written
  // Of the receiver.
  alignas(cache_line) std::atomic<std::int64_t> read;  ///< bytes of the packed stream so far
  std::atomic<bool> claimed;                           ///< it will read what is written
  std::atomic<bool> answered;  ///< the clearance is there; the receiver has done with the ring
  Clearance clearance;
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

/// A ring of bytes in shared memory.
struct Ring {
  RingState* state = nullptr;
  std::byte* data = nullptr;

  /// Byte `at` of the packed stream lies here, and `consecutive(at)` bytes from there on.
  std::byte* place(std::int64_t at) const noexcept { return data + at % RingPolicy::capacity; }
  static std::int64_t consecutive(std::int64_t at) noexcept {
    return RingPolicy::capacity - at % RingPolicy::capacity;
  }
  /// The receiver's last word. It does not touch the ring any more.
  void answer(const Clearance& clearance) const noexcept {
    state->clearance = clearance;
    state->answered.store(true, std::memory_order_release);
  }
};

class Rings;

/// A ring of this rank's, back on destruction; or none. The receiver must have done with it then.
class OwnRing {
 public:
  OwnRing() = default;
  OwnRing(OwnRing&& other) noexcept
      : home_(std::exchange(other.home_, nullptr)), number_(other.number_), ring_(other.ring_) {}
  OwnRing& operator=(OwnRing&& other) noexcept {
    std::swap(home_, other.home_);
    std::swap(number_, other.number_);
    std::swap(ring_, other.ring_);
    return *this;
  }
  ~OwnRing();

  explicit operator bool() const noexcept { return home_ != nullptr; }
  int number() const noexcept { return number_; }
  const Ring& ring() const noexcept { return ring_; }

 private:
  friend class Rings;
  OwnRing(Rings& home, int number, const Ring& ring) noexcept : home_(&home), number_(number), ring_(ring) {}

  Rings* home_ = nullptr;
  int number_ = -1;
  Ring ring_;
};

/// Rings of all ranks that run on this host, mapped by all of them. No name of the memory stays, so it goes
/// with the last process that has it, however that ends. Thread safe.
class Rings {
 public:
  /// Collective over `comm`. `host` is the same for ranks that may share memory; this rank takes no part
  /// unless it is `wanted`. Throws MpiError.
  Rings(MPI_Comm comm, int host, bool wanted);
  Rings(const Rings&) = delete;
  Rings& operator=(const Rings&) = delete;
  ~Rings();

  /// Whether both have mapped each other's.
  bool reach(int rank) const noexcept { return memory_[static_cast<std::size_t>(rank)] != nullptr; }
  /// None if all are in use.
  OwnRing take();
  /// Of a rank within reach. Throws Error if there is no such ring.
  Ring of(int rank, int number) const;
  std::size_t taken() const;

 private:
  friend class OwnRing;
  void give(int number) noexcept;

  std::byte* own_ = nullptr;
  std::vector<std::byte*> memory_;  ///< by rank; null where it is out of reach
  mutable std::mutex mutex_;
  std::vector<int> free_;
};

}  // namespace typewarp::transport
