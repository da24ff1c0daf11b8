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

/// What a protocol keeps in a Session.
class ChannelState {
 public:
  ChannelState& operator=(ChannelState&&) = delete;
  virtual ~ChannelState() = default;

  /// Collective, when all ranks have theirs. Throws MpiError, never in one rank only.
  virtual void connect(SessionState&) {}
  /// Whether messages of host memory to `rank` go through memory that both have mapped.
  virtual bool shares_host_memory(int) const noexcept { return false; }
  /// How many of its resources messages hold now.
  virtual std::size_t taken() const { return 0; }
};

/// Owns everything that the messages of the process's Session share. Lives until the Session and its last
/// operation are gone.
class SessionState {
 public:
  /// Local; prepare() and connect() follow. `mixed` as in handle/internal.hpp. Throws MpiError,
  /// std::bad_alloc.
  SessionState(PrivateComm& over, const SessionOptions& options, const Profile& profile, bool mixed);
  SessionState& operator=(SessionState&&) = delete;
  ~SessionState() = default;

  /// How ranks read each other's memory. Collective, before any message. Throws MpiError.
  void share_by(const Ipc& sharing);
  /// The link for device memory, null for none. Collective, before any message.
  void link_by(std::unique_ptr<GpuChannel> made);
  /// The memory for its fragments stays until the session goes.
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
  std::array<std::unique_ptr<ChannelState>, most_channels> channels;  ///< by the id of the row, null: nothing
  IpcPeers ipc;
  DevicePools device_pools;
  std::unique_ptr<GpuChannel> link;  ///< null: none. Goes before the memory that it knows of
  CopyCoalescer gather;
  Progress progress;
};

/// The place where a Session is made. All ranks have it before any of them starts.
struct SessionRoom {
  std::optional<PrivateComm> comm;
  std::optional<SessionState> state;
};

/// The process's session, or null.
std::shared_ptr<SessionState> current();
/// The same if only one thread may call; else null.
SessionState* sole() noexcept;
/// Throws the Error for that.
[[noreturn]] void refuse_second();
/// Throws Error if there is a session already, unless `session` is null.
void set_current(std::shared_ptr<SessionState> session);

/// The session's Progress, which shares ownership of the session.
std::shared_ptr<Progress> progress_of(const std::shared_ptr<SessionState>& session) noexcept;

}  // namespace typewarp::transport
