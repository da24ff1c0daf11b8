// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

namespace typewarp {

namespace transport {
class SessionState;
struct Internal;
}  // namespace transport

/// How messages travel between the ranks of a Session.
enum class Protocol : std::uint8_t {
  automatic,  ///< direct if possible; else a ring in shared memory, between host memory of ranks on one host;
              ///< else eager up to the eager limit; else gpu_aware or ucx, between devices of ranks on
              ///< several hosts; else pipelined
  eager,      ///< the packed stream as one MPI message; takes effect only if all ranks request it
  pipelined,  ///< announced, then sent in fragments: packing, sending and unpacking overlap
  direct,     ///< the receiver's device reads device memory in place; automatic if that is impossible
  gpu_aware,  ///< as pipelined, from device memory to device memory: the MPI gets the device pointers. The
              ///< first such message that is not contiguous allocates 128 MiB of device memory
  ucx,        ///< the same, sent by UCX
};
/// As the enumerator is spelled.
std::string_view name(Protocol) noexcept;

/// How a Session sends messages.
struct SessionOptions {
  /// Messages of up to this many bytes (at least 509) are sent without an announcement. The smallest value of
  /// all ranks counts. Between host memory of ranks on one host, if both allow the protocol direct, messages
  /// of 4 KiB and more go through shared memory instead, and count as announced.
  std::int64_t eager_bytes = std::int64_t{16} << 10;
  /// Device memory of at least this many bytes, and at least 509, goes direct if both ranks are on one host
  /// and both buffers are device memory. Such messages count as announced: the send need not complete before
  /// it is received. The first one of at least 256 KiB allocates 128 MiB of device memory, which is kept as
  /// long as the Session lives.
  std::int64_t direct_bytes = 509;
  /// Longest fragment of a pipelined message, at least 64 bytes.
  std::int64_t chunk_bytes = std::int64_t{256} << 10;
  /// Host memory for all fragments in flight, half for sending and half for receiving; at least 128 bytes.
  /// Pinned if there is a GPU. Never exceeded: messages wait for each other instead. Less is allocated if
  /// there is not enough.
  std::int64_t pool_bytes = std::int64_t{64} << 20;
  /// The most memory allocated on each device for fragments of messages between devices. It is allocated for
  /// the first such message, and kept as long as the Session lives. Never exceeded: if it is too small,
  /// fragments become shorter and messages wait for each other. With 0 nothing is allocated, and messages
  /// that need it go through the host.
  std::int64_t device_pool_bytes = std::int64_t{128} << 20;
  /// A wait ends with TimeLimitExceeded if its message has made no progress for this long, whether
  /// the peer is dead, busy elsewhere, or out of pool memory for this message. While a message
  /// waits for this rank's own pool, progress of any message counts. 0 waits for ever, as MPI
  /// does.
  std::chrono::milliseconds time_limit = no_time_limit;
  Protocol protocol = Protocol::automatic;
  /// A thread makes progress on messages while no thread of the program is in this library. Needs
  /// MPI_THREAD_MULTIPLE.
  bool progress_thread = false;

  static constexpr std::chrono::milliseconds no_time_limit{0};

  /// The values above, or those of the machine's profile (docs/reference/options.md; TYPEWARP_PROFILE names
  /// the file), overridden by TYPEWARP_PROTOCOL, TYPEWARP_EAGER_BYTES, TYPEWARP_DIRECT_BYTES,
  /// TYPEWARP_CHUNK_BYTES, TYPEWARP_POOL_BYTES, TYPEWARP_DEVICE_POOL_BYTES, TYPEWARP_TIME_LIMIT_MS and
  /// TYPEWARP_PROGRESS_THREAD (0 or 1). Throws InvalidArgument for an invalid value or profile.
  static SessionOptions from_environment();
};

/// Gives messages between the ranks of a communicator protocols that are faster than one MPI message. A
/// process has at most one Session.
///
/// Progress is made only inside calls of this library, or by the progress thread. That is less than MPI
/// guarantees: a rank that starts a send or a receive and then waits for something else, such as an
/// MPI_Barrier, keeps its peer waiting. If it waits for that peer, that is a deadlock: use the progress
/// thread, or call progress() while waiting. Both ends of a message of 509 bytes or more must be calls of
/// this library. The hints mpi_assert_exact_length and mpi_assert_allow_overtaking must not be set on
/// communicators that such messages use.
class Session {
 public:
  /// Collective over `comm`, which is duplicated without its hints, and may be freed afterwards. No message
  /// between its ranks may be in flight, now and in the destructor. Options that are not given come from the
  /// machine's profile. Throws InvalidArgument for `comm`, before it communicates, and for the options and
  /// the profile; Error if the process has a Session already; MpiError. Except for errors of `comm` and of
  /// the MPI, all ranks throw if one does: Error in the ranks where nothing is wrong.
  Session(MPI_Comm comm, const SessionOptions& options);
  /// With the options from_environment(). If they are invalid in one rank, all ranks throw.
  explicit Session(MPI_Comm comm);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  /// Collective, before MPI_Finalize: waits until all ranks are here, within the time limit. If that is
  /// exceeded, no messages may be sent to or received from ranks of the Session any more.
  ~Session();

  /// The options in force: the eager limit is that of all ranks.
  const SessionOptions& options() const noexcept;
  /// Whether messages of this Session can go by `protocol`: direct if there is a GPU and this host has a rank
  /// that it works with; gpu_aware and ucx if this Session was made to use it and it works in all ranks. A
  /// protocol that the options name and that is impossible counts as automatic.
  bool possible(Protocol protocol) const noexcept;

 private:
  friend struct transport::Internal;
  /// Null options: those from_environment().
  Session(MPI_Comm comm, const SessionOptions* options, bool mixed);

  std::shared_ptr<transport::SessionState> session_;
};

/// Makes progress on messages of the Session, if there is one, without waiting: for a rank that waits for
/// something else and has no progress thread.
void progress();

}  // namespace typewarp
