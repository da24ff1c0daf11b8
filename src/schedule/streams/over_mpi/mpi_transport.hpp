// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/streams/host_transport.hpp"
#include "transport/memory/host_buffer.hpp"

#include <mpi.h>

#include <vector>

namespace typewarp::exchange {

/// By persistent requests of the MPI.
class MpiTransport final : public HostTransport {
 public:
  /// `pinned`: whether a device packs and unpacks. Throws MpiError, GpuError.
  MpiTransport(MPI_Comm comm, const Connections& connections, bool pinned);
  /// Cancels what has not come, and frees all requests.
  ~MpiTransport() override;

  const std::vector<PackedPart>& packed_on_stream() const noexcept override { return sends_.on_stream; }
  const std::vector<PackedPart>& unpacked_on_stream() const noexcept override { return receives_.on_stream; }
  bool allows_threads() const override;
  /// Throws MpiError.
  bool step(StartSignals& starts) override;
  bool sending() const noexcept override { return sending_; }
  int awaited_peer() const override;
  void abandon() noexcept override;

 private:
  /// What goes one way.
  struct OneWay {
    std::vector<PackedPart> on_stream, on_host;  ///< parts, by who packs or unpacks them
    std::vector<MPI_Request> requests;
    std::vector<int> peers;  ///< of each request
  };

  MpiTransport() = default;
  bool step_sends(StartSignals& starts);
  bool step_receives(StartSignals& starts);

  gpu::PinnedBuffer pinned_;
  transport::HostBuffer pageable_;
  OneWay sends_, receives_;
  bool sending_ = false, receiving_ = false, arrived_ = false;
  std::int64_t starts_begun_ = 0, starts_received_ = 0;
};

}  // namespace typewarp::exchange
