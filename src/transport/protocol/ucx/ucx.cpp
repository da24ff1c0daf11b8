// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/ucx/ucx_channel.hpp"
#include "transport/protocol/fragments/gpu_fragments.hpp"

namespace typewarp::transport {
namespace {

constinit Traffic sent;

constexpr GpuLibrary library{
    .protocol = Protocol::ucx,
    .present = [](MPI_Comm) { return ucx_library() != nullptr; },
    .make = [](MPI_Comm comm) { return make_ucx_link(*ucx_library(), UcxMemory::device, comm); },
    // That UCX must be loaded by now, and can be asked.
    .takes_for_mpi =
        [] {
          const ucx::UcxApi* const loaded = loaded_ucx_library();
          return loaded != nullptr && ucx_takes_device_memory(*loaded);
        }};

}  // namespace

constinit const ProtocolRow ucx_row = row_by<library, 5>("ucx", sent);

}  // namespace typewarp::transport
