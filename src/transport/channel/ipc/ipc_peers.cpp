// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/ipc/ipc_peers.hpp"

#include "engine/runtime/gpu_sharing.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <exception>

namespace typewarp::transport {
namespace {

/// The device that this process uses already, if any.
struct OwnDevice {
  int number = -1;
  gpu::DeviceName name{};
};

OwnDevice own_device() noexcept {
  try {
    if (!gpu::has_context()) return {};
    const int number = gpu::current_device();
    return {number, gpu::device_name(number)};
  } catch (const std::exception&) {
    return {};
  }
}

// It only helps to choose the fastest way, so a failure does not matter.
void tell_of_sharing(int device) noexcept {
  try {
    gpu::tell_of_sharing(device);
  } catch (const std::exception&) {
    return;
  }
}

}  // namespace

void IpcPeers::share_by(const Ipc& sharing, bool takes_part, const PrivateComm& comm) {
  const OwnDevice device = takes_part ? own_device() : OwnDevice();
  const Said own{comm.host(), takes_part ? 1 : 0, device.name};
  mpi::check(MPI_Allgather(&own, sizeof own, MPI_BYTE, said_.data(), sizeof own, MPI_BYTE, comm.get()),
             "MPI_Allgather");
  sharing_ = &sharing;
  int on_device = 0;
  for (std::size_t rank = 0; rank < said_.size(); ++rank) {
    const Said& other = said_[rank];
    reached_[rank] = takes_part && other.takes_part != 0 && other.host == comm.host();
    if (reached_[rank] && other.device == own.device) ++on_device;
  }
  if (device.number >= 0 && on_device > 1) tell_of_sharing(device.number);
}

bool IpcPeers::reaches_any() const noexcept { return std::ranges::find(reached_, true) != reached_.end(); }

bool IpcPeers::reaches_host_memory(int rank) const noexcept {
  return sharing_ != &gpu_ipc() && reaches(rank);
}

}  // namespace typewarp::transport
