// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/buffer/copy_coalescer.hpp"
#include "transport/channel/device_pools.hpp"
#include "transport/channel/ipc/ipc_peers.hpp"
#include "transport/memory/fixed_pool.hpp"
#include "transport/mpi/comm_cache.hpp"
#include "transport/mpi/private_comm.hpp"
#include "transport/request/progress.hpp"
#include "transport/tuning/profile.hpp"

#include <typewarp/session.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>

namespace typewarp::transport {

class SessionState;

/// What a channel keeps in a Session.
class ChannelState {
 public:
  ChannelState() = default;
  ChannelState(const ChannelState&) = delete;
  ChannelState& operator=(const ChannelState&) = delete;
  virtual ~ChannelState() = default;

  /// Collective, when all ranks have prepared theirs. Throws MpiError, in none of them alone.
  virtual void connect(SessionState&) {}
  /// Whether it takes messages of host memory to that rank through memory that both have mapped.
  virtual bool shares_host_memory(int) const noexcept { return false; }
  /// How much of it messages hold.
  virtual std::size_t taken() const { return 0; }
};

/// The owner of all that messages of the process's Session share: nothing else knows all of it. Lives until
/// the Session and the last of its operations are gone.
class SessionState {
 public:
  /// Of this rank alone. `mixed` as in handle/internal.hpp. Its protocols are still to be connected. Throws
  /// MpiError, std::bad_alloc.
  SessionState(PrivateComm& over, const SessionOptions& options, const Profile& profile, bool mixed);
  SessionState(const SessionState&) = delete;
  SessionState& operator=(const SessionState&) = delete;
  ~SessionState() = default;

  /// Collective, before any message: memory is shared in this way, between ranks that can. Throws MpiError.
  void share_by(const Ipc& sharing);
  /// Collective, before any message: memory of devices goes by this link, or by none.
  void link_by(std::unique_ptr<GpuChannel> made);
  /// The memory for its fragments stays as long as this.
  void close_link() noexcept;

  bool possible(Protocol protocol) const noexcept;
  /// Whether messages of host memory between this rank and that one go through memory that both can read.
  bool shares_host_memory(int rank) const noexcept;

  const SessionOptions options;  ///< in force
  const bool mixed;              ///< whether ranks also send by calls of the MPI's
  Profile profile;
  PrivateComm& comm;
  CommCache comms;
  HostPools host_pools;
  static constexpr std::size_t most_channels = 16;
  std::array<std::unique_ptr<ChannelState>, most_channels> channels;  ///< by the id of the row, null: nothing
  IpcPeers ipc;
  DevicePools device_pools;
  std::unique_ptr<GpuChannel> link;  ///< null: none. Goes before the memory that it knows of
  CopyCoalescer gather;
  Progress progress;
};

/// Where a Session comes to be: what all of its ranks make together, before any of them knows whether it has
/// memory for the rest.
struct SessionRoom {
  std::optional<PrivateComm> comm;
  std::optional<SessionState> state;
};

/// The process's session, or null.
std::shared_ptr<SessionState> current();
/// The same where no other thread may call meanwhile; else null.
SessionState* sole() noexcept;
/// Throws the Error for that.
[[noreturn]] void refuse_second();
/// `session` must be null where there is one already: Error.
void set_current(std::shared_ptr<SessionState> session);

/// What moves its operations on, which own the session with it.
std::shared_ptr<Progress> progress_of(const std::shared_ptr<SessionState>& session) noexcept;

}  // namespace typewarp::transport
