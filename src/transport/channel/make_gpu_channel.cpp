// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/make_gpu_channel.hpp"

#include "transport/channel/gpu_mpi.hpp"
#include "transport/channel/ucx/ucx_channel.hpp"

#include <typewarp/mpi.hpp>

namespace typewarp::transport {
namespace {

// Bits.
constexpr int by_mpi = 1;
constexpr int by_ucx = 2;

// What this rank would take.
int candidates(Protocol wanted, bool one_host, MPI_Comm comm) {
  const bool any = wanted == Protocol::automatic && !one_host;
  const bool mpi = any || wanted == Protocol::gpu_aware;
  const bool ucx = any || wanted == Protocol::ucx;
  if ((!mpi && !ucx) || !gpu::present()) return 0;  // the second starts its driver
  int found = 0;
  if (mpi && mpi_declares_gpu_awareness(comm)) found |= by_mpi;
  if (ucx && ucx_library() != nullptr) found |= by_ucx;
  return found;
}

}  // namespace

std::unique_ptr<GpuChannel> make_gpu_channel(Protocol wanted, bool one_host, MPI_Comm comm) {
  int common = candidates(wanted, one_host, comm);
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &common, 1, MPI_INT, MPI_BAND, comm), "MPI_Allreduce");
  // The MPI first: it needs no second set of connections, and knows its network.
  if ((common & by_mpi) != 0) {
    std::unique_ptr<GpuChannel> link = make_mpi_link(comm);
    if (proves_itself(*link, comm)) return link;
  }
  if ((common & by_ucx) != 0) {
    std::unique_ptr<GpuChannel> link = make_ucx_link(*ucx_library(), UcxMemory::device, comm);
    if (link != nullptr && proves_itself(*link, comm)) return link;
  }
  return nullptr;
}

}  // namespace typewarp::transport
