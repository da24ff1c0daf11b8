// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/eager/eager_send.hpp"
#include "transport/protocol/fragments/gpu_fragments.hpp"
#include "transport/protocol/fragments/rendezvous_send.hpp"
#include "transport/protocol/get/rendezvous_get.hpp"
#include "transport/protocol/get/shared_chunks.hpp"
#include "transport/protocol/ring/ring.hpp"

#include <array>

namespace typewarp::transport {

// A test leaves rows out, to show that nothing else knows of their protocols.
std::span<const ProtocolRow* const> protocols() noexcept {
  static constexpr std::array rows{
      &get_row,  // memory of devices, within a host
      &ipc_row,  // the same, where it cannot be mapped or fragments are faster
#ifndef TYPEWARP_WITHOUT_RING
      &ring_row,  // host memory, within a host
#endif
      &eager_row,
      &mpi_row,  // memory of devices, between hosts
#ifndef TYPEWARP_WITHOUT_UCX
      &ucx_row,  // the same, where the MPI takes none
#endif
      &host_row,
  };
  return rows;
}

}  // namespace typewarp::transport
