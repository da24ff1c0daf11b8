// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/protocol/select/protocol_row.hpp"

namespace typewarp::transport {

/// Fragments from device to device, by the MPI.
extern const ProtocolRow mpi_row;
/// The same by UCX.
extern const ProtocolRow ucx_row;

/// Whether this rank's MPI takes memory of devices: it says so, or the environment says it of it.
bool mpi_is_gpu_aware(MPI_Comm comm);

std::shared_ptr<RendezvousSend> start_by_link(const SendContext& message, MessageBuffer& side);
std::unique_ptr<ReceiveProtocol> receive_by_link(const ReceiveContext& message);

const char* sends_by_link(const SendCase& message, Protocol protocol);
const char* receives_by_link(const ReceiveContext& message, Protocol protocol, ChannelId id);

/// The row of fragments that `library` carries, which the Session may have for its link.
template <const GpuLibrary& library, ChannelId channel>
constexpr ProtocolRow row_by(const char* name, Traffic& sent) {
  return {
      .name = name,
      .sent = &sent,
      .id = channel,
      .sends = [](const SendCase& message) { return sends_by_link(message, library.protocol); },
      .receives =
          [](const ReceiveContext& message) { return receives_by_link(message, library.protocol, channel); },
      .start = start_by_link,
      .on_rts = receive_by_link,
      .library = &library};
}

}  // namespace typewarp::transport
