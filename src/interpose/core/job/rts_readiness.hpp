// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

/// Whether this rank is ready for RTS. A receive of the MPI's would take an RTS for the message, so a rank
/// that is ready receives everything by us. One that uses no GPU shall not pay for that: its receives are the
/// MPI's, and others send it whole messages. As soon as it uses one, all its receives are ours; when none is
/// left that was posted before, it is ready, says so to the ranks that share a Session with it, and stays so.
/// Thread safe.
namespace typewarp::interpose {

/// Which buffers TYPEWARP_TAKE has taken, in the order of its words.
enum class Taking : std::uint8_t {
  gpu,        ///< buffers in device or managed memory
  derived,    ///< these, and derived types of host memory that are not consecutive
  all,        ///< all
  stretches,  ///< all, and each block at MPI_BOTTOM as if it lay in a memory of its own
};
/// Of a word that the variable does not have, which is told once, nothing more is taken than without it.
Taking taking_of_environment() noexcept;

/// What the MPI still has of receives and probes, and what tells the others that this rank is ready. A member
/// of the job: of its Session.
class RtsReadiness {
 public:
  /// After the Session was made, before any receive. `flag`: what tells the others, 0 so far; null if they
  /// count on this rank without asking.
  explicit RtsReadiness(std::atomic<std::uint8_t>* flag) noexcept;
  ~RtsReadiness();

  void tell() noexcept {
    if (flag_ != nullptr) flag_->store(1, std::memory_order_release);
  }
  /// The MPI has made this request. Whether it is not known already. Throws std::bad_alloc.
  bool add(MPI_Request request);
  /// How many have become known so far.
  std::uint64_t time() const noexcept { return times_; }
  /// Whether it was known, and became so at `latest` at the latest.
  bool remove(MPI_Request request, std::uint64_t latest) noexcept;

 private:
  std::mutex mutex_;
  std::unordered_map<MPI_Request, std::uint64_t> requests_;  ///< when each became known
  std::atomic<std::uint64_t> times_{0};
  std::atomic<std::uint8_t>* flag_;
};

/// Whether receives are ours from now on: not where there is no Session, or no use of a GPU.
bool receives_are_ours() noexcept;
/// The same of probes: not before this rank is ready, since ours may take messages out of the MPI that a
/// receive of its own, posted later, is for: that of a persistent request from before.
bool probes_are_ours() noexcept;
/// Whether no GPU was used at the last look.
bool idle() noexcept;
/// To be called with what is ours to send: makes ready, if nothing is in the way.
void get_ready() noexcept;

/// A receive or a probe, from before it is decided whose it is until the MPI has no more to do with it or
/// knows it by a request.
class Posting {
 public:
  Posting() noexcept;
  Posting& operator=(Posting&&) = delete;
  ~Posting() { end(); }

  /// It is ours, or nobody's.
  void end() noexcept;
  /// The MPI has made this request of it.
  void left(MPI_Request request) noexcept;

 private:
  bool counts_;  ///< until it has ended, this rank does not get ready
};

/// Requests that a call of the MPI's may complete: lives around that call. Those that are null afterwards are
/// over. The MPI may give such a handle to another thread's receive before that is seen here: then that one
/// became known after this was made.
class LeftRequests {
 public:
  LeftRequests(int count, const MPI_Request* requests) noexcept;
  LeftRequests& operator=(LeftRequests&&) = delete;
  ~LeftRequests();

 private:
  std::array<MPI_Request, 16> few_;
  std::vector<MPI_Request> many_;
  std::span<MPI_Request> before_;  ///< in one of these; empty if none was left
  const MPI_Request* now_ = nullptr;
  std::uint64_t time_ = 0;
};

/// The MPI is about to free this one.
void left_freed(MPI_Request request) noexcept;

}  // namespace typewarp::interpose
