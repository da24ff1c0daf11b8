// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/ipc/ipc_peers.hpp"

#include "engine/gpu/turns.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>

namespace typewarp::transport {

void IpcPeers::share_by(const Ipc& sharing, bool takes_part, const PrivateComm& comm) {
  struct Said {
    int host;
    int takes_part;
    gpu::DeviceName device;  ///< zeros: none yet
  };
  const int device = takes_part && gpu::has_context() ? gpu::current_device() : -1;
  const Said own{comm.host(), takes_part ? 1 : 0, device >= 0 ? gpu::device_name(device) : gpu::DeviceName{}};
  std::vector<Said> all(static_cast<std::size_t>(comm.size()));
  mpi::check(MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, comm.get()),
             "MPI_Allgather");
  sharing_ = &sharing;
  reached_.clear();
  int on_device = 0;
  for (const Said& other : all) {
    reached_.push_back(takes_part && other.takes_part != 0 && other.host == comm.host());
    if (reached_.back() && other.device == own.device) ++on_device;
  }
  if (device >= 0 && on_device > 1) gpu::tell_of_sharing(device);
}

bool IpcPeers::reaches_any() const noexcept { return std::ranges::find(reached_, true) != reached_.end(); }

bool IpcPeers::reaches_host_memory(int rank) const noexcept {
  return sharing_ != &gpu_ipc() && reaches(rank);
}

}  // namespace typewarp::transport
