// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/host_link.hpp"

#include "transport/channel/gpu/gpu_channel.hpp"
#include "transport/channel/ucx/ucx_channel.hpp"

#include <vector>

namespace typewarp::test {
namespace {

void count_down(std::atomic<int>& until_failure) {
  if (until_failure > 0 && --until_failure == 0) throw Error("a failure that the test asked for");
}

}  // namespace

transport::Transfer HostLink::start_send(const std::byte* data, std::int64_t bytes, int rank, int tag) {
  count_down(control_->sends_until_failure);
  ++control_->sent;
  return carrier_->start_send(data, bytes, rank, tag);
}

transport::Transfer HostLink::start_receive(std::byte* data, std::int64_t bytes, int rank, int tag) {
  count_down(control_->receives_until_failure);
  ++control_->received;
  return carrier_->start_receive(data, bytes, rank, tag);
}

std::optional<transport::PoolMemory> HostLink::allocate(const transport::MessageBuffer&,
                                                        std::int64_t bytes) const {
  if (!control_->allocates) return std::nullopt;
  const auto memory = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes));
  return transport::PoolMemory{memory->data(), memory};
}

bool available(Carrier carrier) { return carrier == Carrier::mpi || transport::ucx_library() != nullptr; }

std::unique_ptr<transport::GpuChannel> make_host_carrier(Carrier carrier, MPI_Comm comm) {
  if (carrier == Carrier::mpi) return transport::make_mpi_link(comm);
  return transport::make_ucx_link(*transport::ucx_library(), transport::UcxMemory::host, comm);
}

}  // namespace typewarp::test
