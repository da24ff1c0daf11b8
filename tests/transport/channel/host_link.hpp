// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/gpu/gpu_channel.hpp"

#include <atomic>
#include <memory>

namespace typewarp::test {

/// Has another link carry host memory as it would a device's, and fail when a test wants it.
class HostLink final : public transport::GpuChannel {
 public:
  /// What tests see of the link that they gave away.
  struct Control {
    std::atomic<int> sent{0};  ///< fragments so far, and notices of failure
    std::atomic<int> received{0};
    std::atomic<int> sends_until_failure{0};     ///< 0: none fails
    std::atomic<int> receives_until_failure{0};  ///< 0: none fails
    std::atomic<bool> allocates{true};           ///< false: there is no memory for chunks
  };
  HostLink(std::unique_ptr<transport::GpuChannel> carrier, std::shared_ptr<Control> control)
      : carrier_(std::move(carrier)), control_(std::move(control)) {}

  Protocol protocol() const noexcept override { return carrier_->protocol(); }
  transport::Transfer start_send(const std::byte* data, std::int64_t bytes, int rank, int tag) override;
  transport::Transfer start_receive(std::byte* data, std::int64_t bytes, int rank, int tag) override;
  void progress() noexcept override { carrier_->progress(); }
  bool leave() noexcept override { return carrier_->leave(); }

  bool carries(const transport::MessageBuffer& side) const override { return side.bytes > 0; }
  bool in_place(const transport::MessageBuffer& side) const override { return side.in_place(); }
  std::optional<transport::PoolMemory> allocate(const transport::MessageBuffer& side,
                                                std::int64_t bytes) const override;

 private:
  std::unique_ptr<transport::GpuChannel> carrier_;
  std::shared_ptr<Control> control_;
};

/// Which library carries.
enum class Carrier { mpi, ucx };
/// Whether there is one here. Of UCX, says which.
bool available(Carrier carrier);
/// Collective; null where UCX cannot be had.
std::unique_ptr<transport::GpuChannel> make_host_carrier(Carrier carrier, MPI_Comm comm);

}  // namespace typewarp::test
