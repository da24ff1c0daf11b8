// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <utility>

/// One MPI message of `bytes` packed bytes, also beyond the 2^31 - 1 that an int counts. All throw MpiError.
namespace typewarp::transport {

/// Owns an MPI_Request. The memory that it was posted with must stay until it is inactive.
class Posted {
 public:
  Posted() = default;
  explicit Posted(MPI_Request handle) noexcept : handle_(handle) {}
  Posted(Posted&& other) noexcept : handle_(std::exchange(other.handle_, MPI_REQUEST_NULL)) {}
  Posted& operator=(Posted&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  /// Frees an active request without waiting for it.
  ~Posted();

  bool active() const noexcept { return handle_ != MPI_REQUEST_NULL; }
  /// Returns true if complete or inactive; then it is inactive, also if this throws MpiError. `block` waits.
  bool finish(bool block, MPI_Status* status = MPI_STATUS_IGNORE);
  bool test(MPI_Status* status = MPI_STATUS_IGNORE) { return finish(false, status); }
  /// Leaves an active operation and its memory to the MPI: one that cannot be waited for and must not be
  /// freed, such as a collective one.
  void abandon() noexcept { handle_ = MPI_REQUEST_NULL; }
  /// It stays active until finish() reports its end, cancelled or not. Does nothing if inactive.
  void cancel();

 private:
  MPI_Request handle_ = MPI_REQUEST_NULL;
};

/// Throws MpiError.
bool is_cancelled(const MPI_Status& status);

/// Where a message goes to or comes from.
struct Peer {
  int rank;
  int tag;
  MPI_Comm comm;
};

/// Whether a send may complete before it is matched.
enum class SendMode { standard, synchronous };

Posted start_send(const std::byte* data, std::int64_t bytes, const Peer& to,
                  SendMode mode = SendMode::standard);
/// Room for `bytes` bytes: a longer message is truncated, as MPI says.
Posted start_receive(std::byte* data, std::int64_t bytes, const Peer& from);
/// The same for a matched message.
Posted start_receive(std::byte* data, std::int64_t bytes, MPI_Message matched);

// Open MPI 5 writes a long message beyond the end of its receive if that is of contiguous bytes, and not if
// it has a gap. So receives into the library's own memory put the last byte one place further, and
// close_gap() moves it back.

/// The memory that a receive of `bytes` bytes with such a gap needs, if the MPI needs a gap.
std::int64_t guarded_bytes(std::int64_t bytes) noexcept;
/// The shortest receive that can have a gap.
std::int64_t least_guarded() noexcept;
/// As start_receive() and receive(), into that much memory. `bytes` is at least least_guarded().
Posted start_guarded_receive(std::byte* data, std::int64_t bytes, const Peer& from);
Posted start_guarded_receive(std::byte* data, std::int64_t bytes, MPI_Message matched);
void receive_guarded(std::byte* data, std::int64_t bytes, const Peer& from, MPI_Status& status);
/// Call it when `received` bytes have arrived.
void close_gap(std::byte* data, std::int64_t bytes, std::int64_t received) noexcept;

/// Blocking. Throw MpiError.
void send(const std::byte* data, std::int64_t bytes, const Peer& to);
void receive(std::byte* data, std::int64_t bytes, const Peer& from, MPI_Status& status);
/// The least room with which a posted receive shows that a message is longer than `bytes`. Open MPI (4.1.4,
/// 5.0.11) reports no truncation where a process sends itself a short message (contiguous, up to
/// btl_self_eager_limit) whose receive was posted before: the status counts what the receive has room for.
std::int64_t room_that_tells(std::int64_t bytes, const Peer& from);
/// The length of the message of `status`.
std::int64_t received_bytes(const MPI_Status& status);

}  // namespace typewarp::transport
