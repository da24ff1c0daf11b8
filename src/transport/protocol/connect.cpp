// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/connect.hpp"

#include "mpi/agree.hpp"
#include "transport/memory/reserve.hpp"
#include "transport/protocol/select/protocol_row.hpp"

#include <exception>

namespace typewarp::transport {
namespace {

// Whether this rank would take the library. To ask for a device starts its driver.
bool would_take(const GpuLibrary& library, Protocol wanted, bool one_host, MPI_Comm comm) noexcept {
  const bool asked_for = wanted == library.protocol || (wanted == Protocol::automatic && !one_host);
  try {
    return asked_for && gpu::present() && library.present(comm);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

std::unique_ptr<GpuChannel> make_gpu_channel(Protocol wanted, bool one_host, MPI_Comm comm) {
  for (const ProtocolRow* const row : protocols()) {
    if (row->library == nullptr) continue;
    if (!mpi::in_all(comm, would_take(*row->library, wanted, one_host, comm))) continue;
    std::unique_ptr<GpuChannel> link = row->library->make(comm);
    if (mpi::in_all(comm, link != nullptr) && proves_itself(*link, comm)) return link;
  }
  return nullptr;
}

void prepare(SessionState& session) {
  Reserve::fill();
  for (const ProtocolRow* const row : protocols()) {
    if (row->prepare != nullptr) session.channels[row->id] = row->prepare(session);
  }
}

void connect(SessionState& session) {
  session.link_by(make_gpu_channel(session.options.protocol, session.comm.is_one_host(), session.comm.get()));
  session.share_by(gpu_ipc());
  for (const auto& channel : session.channels) {
    if (channel != nullptr) channel->connect(session);
  }
}

}  // namespace typewarp::transport
