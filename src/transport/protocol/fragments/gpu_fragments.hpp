// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/protocol/select/protocol_row.hpp"

namespace typewarp::transport {

/// Fragments from device to device, by the MPI.
extern const ProtocolRow mpi_row;

/// Whether this rank's MPI takes memory of devices: it says so, or the environment says it of it.
bool mpi_is_gpu_aware(MPI_Comm comm);

std::shared_ptr<RendezvousSend> start_by_link(const SendContext& message, MessageBuffer& side);
std::unique_ptr<ReceiveProtocol> receive_by_link(const ReceiveContext& message);

/// The row of fragments that `library` carries, which the Session may have for its link.
template <const GpuLibrary& library>
constexpr ProtocolRow row_of(const char* name, Traffic& sent) {
  return {.name = name,
          .sent = &sent,
          .sends = [](const SendCase& message, const SessionOptions& options, const Profile&) -> const char* {
            if (message.link != library.protocol || is_plain(message, options)) return nullptr;
            return "a link carries the memory";
          },
          .receives = [](const ReceiveCase& message, const Profile&) -> const char* {
            if (message.rts_link != library.protocol || !message.fits) return nullptr;
            return "a link carries memory of both devices";
          },
          .start = start_by_link,
          .on_rts = receive_by_link,
          .library = &library};
}

}  // namespace typewarp::transport
