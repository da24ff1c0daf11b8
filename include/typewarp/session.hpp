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
  automatic,  ///< direct where that is possible, else through rings of shared memory between host memory of
              ///< ranks on one host, else eager up to the eager limit, then gpu_aware or ucx between
              ///< devices of ranks on several hosts, then pipelined
  eager,      ///< the packed stream as one MPI message. Holds only if all ranks ask for it
  pipelined,  ///< announced, then sent in pieces that are packed, sent and unpacked at once
  direct,     ///< device memory is read by the receiver's device where it lies; what cannot be is automatic
  gpu_aware,  ///< as pipelined, from device memory to device memory, which is given to the MPI; the first
              ///< such message that is not consecutive takes 128 MiB of its device
  ucx,        ///< the same, given to UCX
};
/// As the enumerator is spelled.
std::string_view name(Protocol) noexcept;

/// How a Session sends messages.
struct SessionOptions {
  /// Messages of up to so many bytes, at least 509, are sent as they are. The least value of all ranks
  /// counts. Between host memory of ranks on one host, where both allow the protocol direct, those of 4 KiB
  /// and more go through shared memory instead: they count as announced, too.
  std::int64_t eager_bytes = std::int64_t{16} << 10;
  /// Messages from device memory of at least so many bytes, and at least 509, go direct where the ranks are
  /// on one host and the memory of both is a device's. They count as announced: such a send need not complete
  /// before it is received. The first of at least 256 KiB takes 128 MiB of the device, for as long as the
  /// Session lives.
  std::int64_t direct_bytes = 509;
  /// Longest piece of a pipelined message, at least 64 bytes.
  std::int64_t chunk_bytes = std::int64_t{256} << 10;
  /// Host memory for all pieces under way, half for sending and half for receiving; at least 128 bytes.
  /// Pinned where there is a GPU. Never exceeded: messages wait for each other instead. Less is taken if
  /// there is no more.
  std::int64_t pool_bytes = std::int64_t{64} << 20;
  /// The most memory that is taken of each device, for fragments of messages between devices; allocated at
  /// the first such message, for as long as the Session lives. Never exceeded: fragments get shorter where
  /// it is less than they need, and messages wait for each other. With 0 there is none, and what needs it
  /// goes through the host.
  std::int64_t device_pool_bytes = std::int64_t{128} << 20;
  /// A wait ends with TimeLimitExceeded when its message has made no progress for so long, be it that the
  /// peer is dead or that it is merely busy elsewhere, or that it has no memory of its pool left for this
  /// message. While what lacks is this rank's pool, any message's progress counts. A time of 0 waits for
  /// ever, as MPI does.
  std::chrono::milliseconds time_limit = no_time_limit;
  Protocol protocol = Protocol::automatic;
  /// A thread that moves messages on while no thread of the program is in this library. Needs
  /// MPI_THREAD_MULTIPLE.
  bool progress_thread = false;

  static constexpr std::chrono::milliseconds no_time_limit{0};

  /// The values above, or those that the machine's profile holds (docs/reference/options.md; TYPEWARP_PROFILE
  /// names the file), changed by TYPEWARP_PROTOCOL, TYPEWARP_EAGER_BYTES, TYPEWARP_DIRECT_BYTES,
  /// TYPEWARP_CHUNK_BYTES, TYPEWARP_POOL_BYTES, TYPEWARP_DEVICE_POOL_BYTES, TYPEWARP_TIME_LIMIT_MS and
  /// TYPEWARP_PROGRESS_THREAD (0 or 1). Throws InvalidArgument for a malformed one, and a malformed profile.
  static SessionOptions from_environment();
};

/// Gives the messages between the ranks of a communicator protocols that are faster than one MPI message. A
/// process has at most one.
///
/// Progress is made inside this library's calls only, or by the progress thread. This is less than MPI gives:
/// a rank that has started a message, a receive too, and then waits for something else, an MPI_Barrier
/// perhaps, keeps its peer waiting for as long. If it waits for that peer, that is a deadlock: then use the
/// progress thread, or call progress() meanwhile. Both ends of a message of 509 bytes or more must be calls
/// of this library. The hints mpi_assert_exact_length and mpi_assert_allow_overtaking must not be set on
/// communicators that such messages use.
class Session {
 public:
  /// Collective over `comm`, which is duplicated without its hints, and may be freed. No message between its
  /// ranks may be in flight, here and when it goes. What the options leave open is as the machine's profile
  /// says. Throws InvalidArgument for `comm`, before it communicates, for the options and the profile; Error
  /// if the process has one already; MpiError. What throws in one rank, other than for `comm` and the MPI,
  /// throws in all: Error where nothing is wrong.
  Session(MPI_Comm comm, const SessionOptions& options);
  /// With the options from_environment(), of which one that is malformed in one rank throws in all.
  explicit Session(MPI_Comm comm);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  /// Collective: waits until all ranks are here, within the time limit. Where that is exceeded, nothing may
  /// be sent to or received from ranks of the Session any more. Before MPI_Finalize.
  ~Session();

  /// The options in force: the eager limit is that of all ranks.
  const SessionOptions& options() const noexcept;
  /// Whether some message of this Session may go by `protocol`: direct if there is a GPU, and a rank of
  /// this host that it can be used with; gpu_aware and ucx if this Session was made to use it and it works
  /// in all of its ranks. What the options ask for and is impossible is automatic.
  bool possible(Protocol protocol) const noexcept;

 private:
  friend struct transport::Internal;
  /// Null options: those from_environment().
  Session(MPI_Comm comm, const SessionOptions* options, bool mixed);

  std::shared_ptr<transport::SessionState> session_;
};

/// Moves some of the Session's messages on, if there is one, without waiting: for a rank that waits for
/// something else and has no progress thread.
void progress();

}  // namespace typewarp
