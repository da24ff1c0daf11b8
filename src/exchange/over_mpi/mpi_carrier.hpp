// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/carrier.hpp"
#include "transport/memory/host_buffer.hpp"

#include <mpi.h>

#include <vector>

namespace typewarp::exchange {

/// By persistent requests of the MPI.
class MpiCarrier final : public Carrier {
 public:
  /// `pinned`: whether a device packs and unpacks. Throws MpiError, GpuError.
  MpiCarrier(MPI_Comm comm, const Links& links, bool pinned);
  /// Cancels what has not come, and frees all requests.
  ~MpiCarrier() override;

  const std::vector<Packed>& packed_on_stream() const noexcept override { return stream_sends_; }
  const std::vector<Packed>& unpacked_on_stream() const noexcept override { return stream_receives_; }
  bool allows_threads() const override;
  /// Throws MpiError.
  bool step(Turns& turns) override;
  bool sending() const noexcept override { return sending_; }
  int awaited_peer() const override;
  void abandon() noexcept override;

 private:
  MpiCarrier() = default;
  bool step_sends(Turns& turns);
  bool step_receives(Turns& turns);

  gpu::PinnedBuffer pinned_;
  transport::HostBuffer pageable_;
  std::vector<Packed> stream_sends_, stream_receives_, host_sends_, host_receives_;
  std::vector<MPI_Request> sends_, receives_;
  std::vector<int> senders_;  ///< of each of the receives
  bool sending_ = false, receiving_ = false, arrived_ = false;
  std::int64_t starts_begun_ = 0, starts_received_ = 0;
};

}  // namespace typewarp::exchange
