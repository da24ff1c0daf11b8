// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/connect.hpp"

#include "transport/protocol/select/protocol_row.hpp"

#include <typewarp/mpi.hpp>

namespace typewarp::transport {
namespace {

// Whether this rank would take the library. To ask for a device starts its driver.
bool would_take(const GpuLibrary& library, Protocol wanted, bool one_host, MPI_Comm comm) {
  const bool asked_for = wanted == library.protocol || (wanted == Protocol::automatic && !one_host);
  return asked_for && gpu::present() && library.present(comm);
}

}  // namespace

std::unique_ptr<GpuChannel> make_gpu_channel(Protocol wanted, bool one_host, MPI_Comm comm) {
  for (const ProtocolRow* const row : protocols()) {
    if (row->library == nullptr) continue;
    int all_take = would_take(*row->library, wanted, one_host, comm) ? 1 : 0;
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &all_take, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
    std::unique_ptr<GpuChannel> link = all_take != 0 ? row->library->make(comm) : nullptr;
    if (link != nullptr && proves_itself(*link, comm)) return link;
  }
  return nullptr;
}

void connect(SessionState& session) {
  session.link_by(make_gpu_channel(session.options.protocol, session.comm.is_one_host(), session.comm.get()));
  session.share_by(gpu_ipc());
  for (const ProtocolRow* const row : protocols()) {
    if (row->connect != nullptr) row->connect(session);
  }
}

}  // namespace typewarp::transport
