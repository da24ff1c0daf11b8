// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/ipc/ipc_peers.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <array>

namespace typewarp::transport {

void IpcPeers::share_by(const Ipc& sharing, bool takes_part, const PrivateComm& comm) {
  using Said = std::array<int, 2>;  // host, and whether it takes part
  const Said own{comm.host(), takes_part ? 1 : 0};
  std::vector<Said> all(static_cast<std::size_t>(comm.size()));
  mpi::check(MPI_Allgather(own.data(), 2, MPI_INT, all.data(), 2, MPI_INT, comm.get()), "MPI_Allgather");
  sharing_ = &sharing;
  reached_.clear();
  for (const auto& [host, shares] : all) {
    reached_.push_back(takes_part && shares != 0 && host == comm.host());
  }
}

bool IpcPeers::reaches_any() const noexcept { return std::ranges::find(reached_, true) != reached_.end(); }

bool IpcPeers::reaches_host_memory(int rank) const noexcept {
  return sharing_ != &gpu_ipc() && reaches(rank);
}

}  // namespace typewarp::transport
